// SPDX-License-Identifier: Apache-2.0
/**
 * The folder of one result, `.pipeline/out/<node>/<key>/`:
 *   files/         what the stage wrote to outDir
 *   artifact.json  value, digest, list of files, fingerprint record: the same bytes on every machine
 *   stat.json      sizes and times as they were here: what a warm run compares with
 * It is made elsewhere and renamed, so a folder that is there is whole unless someone changed it.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Artifact, Json, StageDefinition, Variant } from '../api.js';
import { canonicalJson, sha256 } from '../base/canonical-json.js';
import {
  breathe,
  hashFile,
  hasCode,
  lstatOrUndefined,
  readJsonFile,
  removeTree,
  walk,
  type WalkEntry,
} from '../base/files.js';
import { FORMAT_VERSION, type FingerprintRecord } from './fingerprint.js';

export interface FileEntry {
  /** Relative to files/, `/` between parts. */
  readonly path: string;
  readonly type: 'file' | 'link' | 'dir';
  readonly size?: number;
  /** 0o755 if anyone may execute it, else 0o644: the rest depends on the umask. */
  readonly mode?: number;
  /** sha256 of a file of a `tree`; files of a `state` are not hashed. */
  readonly sha256?: string;
  /** Where a link points. */
  readonly target?: string;
}

export interface ArtifactRecord {
  readonly format: number;
  readonly node: string;
  readonly stage: string;
  readonly variant: Variant;
  readonly output: StageDefinition['output'];
  /**
   * undefined: the result is never a hit. It was made by a stage that names no inputs, or from inputs that changed
   * meanwhile.
   */
  readonly key: string | undefined;
  readonly digest: string;
  readonly value: Json;
  readonly files: readonly FileEntry[];
  readonly record: FingerprintRecord | undefined;
}

/** A result on disk. */
export interface StoredArtifact {
  readonly artifact: Artifact;
  readonly made: ArtifactRecord;
  /** Holds files/, artifact.json and stat.json. */
  readonly folder: string;
}

interface LocalStats {
  /** Run that made or restored it. */
  readonly run: string;
  /** Path → modification time in milliseconds; of files only. */
  readonly mtimes: Readonly<Record<string, number>>;
}

export const FILES = 'files';
export const ARTIFACT = 'artifact.json';
export const STATS = 'stat.json';

/** How many results of a node are kept on disk, the newest first. */
const KEEP = 3;
const KEY_CHARS = 20;
/** A `state` may hold tens of thousands of small files; only larger ones, programs, links and folders are looked at. */
const STATE_MIN_SIZE = 64 * 1024;

export interface NodeName {
  readonly id: string;
  readonly stage: string;
  readonly variant: Variant;
  readonly output: StageDefinition['output'];
}

/** A node's id as a file name: `build[cpu-release]` → `build@cpu-release`. */
export function fileNameOf(nodeId: string): string {
  return nodeId
    .replace('[', '@')
    .replace(']', '')
    .replaceAll(/[^A-Za-z0-9._@+-]/g, '_');
}

export class ArtifactFolders {
  readonly #out: string;
  constructor(stateDir: string) {
    this.#out = path.join(stateDir, 'out');
  }

  #nodeDir(nodeId: string): string {
    return path.join(this.#out, fileNameOf(nodeId));
  }

  /** The unchanged result under `key`; undefined if there is none or someone touched its files. */
  open(nodeId: string, key: string): StoredArtifact | undefined {
    const folder = path.join(this.#nodeDir(nodeId), key.slice(0, KEY_CHARS));
    const found = readRecord(folder);
    if (found === undefined || found.key !== key || !unchanged(folder, found)) return undefined;
    // The time of artifact.json says when a result was last used: `latest` and `prune` go by it.
    const now = new Date();
    fs.utimesSync(path.join(folder, ARTIFACT), now, now);
    return stored(folder, found);
  }

  /** The result of this node that was made or used last, whatever its key: for runs of a part of the plan. */
  latest(nodeId: string): StoredArtifact | undefined {
    for (const folder of this.#newestFirst(nodeId)) {
      const found = readRecord(folder);
      if (found !== undefined && unchanged(folder, found)) return stored(folder, found);
    }
    return undefined;
  }

  /** Record of the result that was made or used last, to say what changed since. */
  latestRecord(nodeId: string): FingerprintRecord | undefined {
    const [newest] = this.#newestFirst(nodeId);
    return newest === undefined ? undefined : readRecord(newest)?.record;
  }

  /** Moves a described folder (see `describe`) to its place. `aside`: where an older one is put before it is removed. */
  async place(staged: string, made: ArtifactRecord, run: string, aside: string): Promise<StoredArtifact> {
    const name = made.key === undefined ? `unkeyed-${run}` : made.key.slice(0, KEY_CHARS);
    const folder = path.join(this.#nodeDir(made.node), name);
    await fs.promises.mkdir(path.dirname(folder), { recursive: true });
    try {
      await fs.promises.rename(staged, folder);
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
      await fs.promises.rename(folder, aside);
      await fs.promises.rename(staged, folder);
    }
    return stored(folder, made);
  }

  /** Removes all but the newest results of a node; never `keep`. */
  async prune(nodeId: string, keep: string): Promise<void> {
    const folders = this.#newestFirst(nodeId);
    const unkeyed = folders.filter((folder) => path.basename(folder).startsWith('unkeyed-'));
    const old = new Set([...folders.slice(KEEP), ...unkeyed]);
    for (const folder of old) if (path.join(folder, FILES) !== keep) await removeTree(folder);
  }

  #newestFirst(nodeId: string): string[] {
    const nodeDir = this.#nodeDir(nodeId);
    if (!fs.existsSync(nodeDir)) return [];
    return fs
      .readdirSync(nodeDir)
      .map((name) => path.join(nodeDir, name))
      .map((folder) => ({ folder, used: lstatOrUndefined(path.join(folder, ARTIFACT))?.mtimeMs ?? 0 }))
      .sort((a, b) => b.used - a.used)
      .map((entry) => entry.folder);
  }
}

/** Lists and hashes the files of a finished stage and writes artifact.json and stat.json beside them. */
export async function describe(
  staged: string,
  node: NodeName,
  value: Json,
  print: { readonly key: string | undefined; readonly record: FingerprintRecord | undefined },
  run: string,
): Promise<ArtifactRecord> {
  const { files, mtimes } = await listFiles(path.join(staged, FILES), node.output);
  // The files of a `state` hold times and paths of this machine; only its value counts.
  const digest = sha256(canonicalJson({ value, files: node.output === 'tree' ? files : [] }));
  // Later stages read the same bytes, whether the value was made now or before.
  const stored = JSON.parse(canonicalJson(value)) as Json;
  const made: ArtifactRecord = {
    format: FORMAT_VERSION,
    node: node.id,
    stage: node.stage,
    variant: node.variant,
    output: node.output,
    key: print.key,
    digest,
    value: stored,
    files,
    record: print.record,
  };
  await writeRecord(staged, made, { run, mtimes });
  return made;
}

/** Takes a restored folder: its record, or undefined if it is not what the record says. Writes a new stat.json. */
export async function adoptRestored(
  staged: string,
  key: string | undefined,
  run: string,
): Promise<ArtifactRecord | undefined> {
  const found = readRecord(staged);
  if (found === undefined || found.key !== key) return undefined;
  const mtimes: Record<string, number> = {};
  for (const entry of found.files) {
    const file = path.join(staged, FILES, entry.path);
    const stat = lstatOrUndefined(file);
    if (stat === undefined || !agrees(entry, stat, file)) return undefined;
    if (entry.type === 'file') mtimes[entry.path] = stat.mtimeMs;
  }
  await fs.promises.writeFile(path.join(staged, STATS), JSON.stringify({ run, mtimes } satisfies LocalStats));
  return found;
}

async function writeRecord(staged: string, made: ArtifactRecord, stats: LocalStats): Promise<void> {
  await fs.promises.writeFile(path.join(staged, STATS), JSON.stringify(stats));
  await fs.promises.writeFile(path.join(staged, ARTIFACT), canonicalJson(made));
}

/** The same result under the key that holds after the run (see `settles`), or under none. */
export async function rekey(
  staged: string,
  made: ArtifactRecord,
  print: { readonly key: string | undefined; readonly record: FingerprintRecord | undefined },
): Promise<ArtifactRecord> {
  const next: ArtifactRecord = { ...made, key: print.key, record: print.record };
  await fs.promises.writeFile(path.join(staged, ARTIFACT), canonicalJson(next));
  return next;
}

/** A link of the artifact that leaves its folder: such a folder cannot be moved to another place or machine. */
export function leavingLink(made: ArtifactRecord): string | undefined {
  const leaves = (entry: FileEntry): boolean =>
    entry.target !== undefined &&
    (path.isAbsolute(entry.target) ||
      path.posix.normalize(path.posix.join(path.posix.dirname(entry.path), entry.target)).startsWith('..'));
  return made.files.find(leaves)?.path;
}

async function listFiles(
  folder: string,
  output: StageDefinition['output'],
): Promise<{ files: FileEntry[]; mtimes: Record<string, number> }> {
  const files: FileEntry[] = [];
  const mtimes: Record<string, number> = {};
  for (const [index, entry] of walk(folder).entries()) {
    await breathe(index);
    const file = path.join(folder, entry.path);
    if (entry.stat.isDirectory()) files.push({ path: entry.path, type: 'dir' });
    else if (entry.stat.isSymbolicLink()) files.push({ path: entry.path, type: 'link', target: fs.readlinkSync(file) });
    else if (output === 'tree') files.push({ ...plainFile(entry), sha256: await hashFile(file) });
    else if (entry.stat.size >= STATE_MIN_SIZE || isExecutable(entry.stat)) files.push(plainFile(entry));
    if (entry.stat.isFile() && output === 'tree') mtimes[entry.path] = entry.stat.mtimeMs;
  }
  return { files, mtimes };
}

function plainFile(entry: WalkEntry): FileEntry {
  const mode = isExecutable(entry.stat) ? 0o755 : 0o644;
  return { path: entry.path, type: 'file', size: entry.stat.size, mode };
}

function isExecutable(stat: fs.Stats): boolean {
  return (stat.mode & 0o111) !== 0;
}

function agrees(entry: FileEntry, stat: fs.Stats, file: string): boolean {
  if (entry.type === 'dir') return stat.isDirectory();
  if (entry.type === 'link') return stat.isSymbolicLink() && fs.readlinkSync(file) === entry.target;
  return stat.isFile() && stat.size === entry.size && isExecutable(stat) === (entry.mode === 0o755);
}

function unchanged(folder: string, found: ArtifactRecord): boolean {
  const stats = readJsonFile(path.join(folder, STATS)) as LocalStats | undefined;
  const files = path.join(folder, FILES);
  if (stats === undefined || !fs.existsSync(files)) return false;
  // Run for thousands of files on every warm run: no path.join, one lstat each.
  return found.files.every((entry) => {
    const file = `${files}/${entry.path}`;
    const stat = lstatOrUndefined(file);
    if (stat === undefined || !agrees(entry, stat, file)) return false;
    return entry.type !== 'file' || found.output === 'state' || stats.mtimes[entry.path] === stat.mtimeMs;
  });
}

function readRecord(folder: string): ArtifactRecord | undefined {
  const found = readJsonFile(path.join(folder, ARTIFACT)) as ArtifactRecord | undefined;
  return found?.format === FORMAT_VERSION && Array.isArray(found.files) ? found : undefined;
}

function stored(folder: string, made: ArtifactRecord): StoredArtifact {
  const { stage, variant, value, digest } = made;
  return { artifact: { stage, variant, value, digest, dir: path.join(folder, FILES) }, made, folder };
}
