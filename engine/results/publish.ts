// SPDX-License-Identifier: Apache-2.0
/**
 * Copies results to public places (dist/, a lock file): each file by temp + rename and only when its bytes
 * differ. What was published is remembered, so that files of an older result are removed and others never are.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Publication } from '../api.js';
import { byCodeUnit } from '../base/canonical-json.js';
import { hashFile, lstatOrUndefined, readJsonFile, writeFileAtomically } from '../base/files.js';

interface PublishedFile {
  readonly node: string;
  readonly sha256: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Path relative to the root → what was put there. */
type PublishedFiles = Map<string, PublishedFile>;

const TEMP = '.pipeline-tmp-';

export interface PublishRequest {
  readonly node: string;
  readonly publications: readonly Publication[];
  /** The files folder of the result. */
  readonly dir: string;
  /** sha256 of its files as far as they are known, by path relative to `dir`. */
  readonly hashes: ReadonlyMap<string, string>;
}

export class Publisher {
  readonly #root: string;
  readonly #file: string;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(root: string, stateDir: string) {
    this.#root = root;
    this.#file = path.join(stateDir, 'published.json');
  }

  /** Paths relative to the root that were written or removed. One call at a time: all share one list. */
  publish(request: PublishRequest): Promise<readonly string[]> {
    const turn = this.#queue.then(() => this.#publish(request));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #publish(request: PublishRequest): Promise<readonly string[]> {
    if (request.publications.length === 0) return [];
    const published: PublishedFiles = new Map(
      Object.entries((readJsonFile(this.#file) ?? {}) as Record<string, PublishedFile>),
    );
    const before = listed(published);
    const changed: string[] = [];
    const wanted = await listWanted(request);
    for (const [target, source] of wanted)
      if (await this.#copy(request, source, target, published)) changed.push(target);
    for (const [target, entry] of published) {
      if (entry.node !== request.node || wanted.has(target)) continue;
      if (await this.#isOurs(target, entry)) {
        await fs.promises.rm(path.join(this.#root, target), { force: true });
        changed.push(target);
      }
      published.delete(target);
    }
    if (listed(published) !== before) await writeFileAtomically(this.#file, listed(published));
    return changed;
  }

  /** True if the public file was written. `source` is relative to the request's folder. */
  async #copy(request: PublishRequest, source: string, target: string, published: PublishedFiles): Promise<boolean> {
    const file = path.join(this.#root, target);
    const from = path.join(request.dir, source);
    const sha256 = request.hashes.get(source) ?? (await hashFile(from));
    const same = await this.#has(file, sha256, published.get(target));
    if (!same) await replaceFile(from, file);
    const stat = fs.statSync(file);
    published.set(target, { node: request.node, sha256, size: stat.size, mtimeMs: stat.mtimeMs });
    return !same;
  }

  async #has(file: string, sha256: string, known: PublishedFile | undefined): Promise<boolean> {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return false;
    if (known?.sha256 === sha256 && known.size === stat.size && known.mtimeMs === stat.mtimeMs) return true;
    return (await hashFile(file)) === sha256;
  }

  async #isOurs(target: string, entry: PublishedFile): Promise<boolean> {
    const stat = lstatOrUndefined(path.join(this.#root, target));
    if (stat?.isFile() !== true || stat.size !== entry.size) return false;
    return stat.mtimeMs === entry.mtimeMs || (await hashFile(path.join(this.#root, target))) === entry.sha256;
  }
}

function listed(published: PublishedFiles): string {
  return JSON.stringify(Object.fromEntries(published));
}

/** Target (relative to the root) → source (relative to the result). The part of a glob before its first wildcard is stripped. */
async function listWanted(request: PublishRequest): Promise<Map<string, string>> {
  const { glob } = await import('tinyglobby');
  const wanted = new Map<string, string>();
  for (const { from, to } of request.publications) {
    const found = await glob(from, { cwd: request.dir, dot: true, onlyFiles: true, expandDirectories: false });
    for (const file of found.sort(byCodeUnit))
      wanted.set(path.posix.join(to, path.posix.relative(staticPart(from), file)), file);
  }
  return wanted;
}

function staticPart(glob: string): string {
  const parts = glob.split('/');
  const wild = parts.findIndex((part) => /[*?[\]{}()!+@]/.test(part));
  return (wild === -1 ? parts.slice(0, -1) : parts.slice(0, wild)).join('/');
}

async function replaceFile(source: string, file: string): Promise<void> {
  const folder = path.dirname(file);
  await fs.promises.mkdir(folder, { recursive: true });
  // Left by a run that was killed while it copied; the run lock makes sure that nobody else is at it.
  for (const name of fs.readdirSync(folder))
    if (name.startsWith(`.${path.basename(file)}${TEMP}`))
      await fs.promises.rm(path.join(folder, name), { force: true });
  const temp = path.join(folder, `.${path.basename(file)}${TEMP}${randomBytes(6).toString('hex')}`);
  try {
    await fs.promises.copyFile(source, temp);
    await fs.promises.rename(temp, file);
  } catch (error) {
    await fs.promises.rm(temp, { force: true });
    throw error;
  }
}
