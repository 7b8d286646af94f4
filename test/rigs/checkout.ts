// SPDX-License-Identifier: Apache-2.0
/**
 * A copy of the working tree in a temporary folder, with the state that `check` left in this one: so that
 * an end-to-end test starts where a developer is after the first release, and may break what it likes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { LocalStore } from '../../engine/cache/local-store.js';
import { PipelineRun, processesOf, type PipelineResult, type RunOptions } from './pipeline-run.js';

/** The working tree that these tests belong to. */
export const HERE = path.resolve(import.meta.dirname, '..', '..');

const OUT = path.join('.pipeline', 'out');

export interface CheckoutOptions {
  /** `all` (default): everything that `check` made. `tools`: only the tools environment. `none`: an empty state. */
  readonly seed?: 'all' | 'tools' | 'none';
  /** The mode of files and folders of the working tree: as a clone under this umask would have it. */
  readonly umask?: number;
}

/** Everything that a run may publish or leave, as it is now. */
export interface Snapshot {
  readonly dist: Readonly<Record<string, string>>;
  readonly lock: string;
}

export class Checkout {
  readonly root: string;
  readonly #runs: PipelineRun[] = [];
  readonly #mounts: string[] = [];

  constructor(root: string) {
    this.root = root;
  }

  path(...parts: readonly string[]): string {
    return path.join(this.root, ...parts);
  }

  read(file: string): string {
    return fs.readFileSync(this.path(file), 'utf8');
  }

  write(file: string, text: string): void {
    fs.mkdirSync(path.dirname(this.path(file)), { recursive: true });
    fs.writeFileSync(this.path(file), text);
  }

  /** Replaces one piece of a file; fails if it is not there. */
  replace(file: string, from: string, to: string): void {
    const text = this.read(file);
    if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`);
    this.write(file, text.replace(from, to));
  }

  exists(file: string): boolean {
    return fs.existsSync(this.path(file));
  }

  delete(file: string): void {
    fs.rmSync(this.path(file), { recursive: true, force: true });
  }

  /** Paths of the files below a folder, sorted. */
  files(folder: string): string[] {
    if (!this.exists(folder)) return [];
    return fs
      .readdirSync(this.path(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => path.relative(this.root, path.join(entry.parentPath, entry.name)))
      .sort();
  }

  snapshot(): Snapshot {
    const dist = Object.fromEntries(this.files('dist').map((file) => [file, sha256(fs.readFileSync(this.path(file)))]));
    return { dist, lock: this.read('pipeline.lock.yaml') };
  }

  /** What a run that ended must not leave: temporary files, half results, locks, processes. */
  leftovers(): string[] {
    const halfResults = this.nodesWithResults()
      .flatMap((node) => this.resultsOf(node))
      .filter((folder) => !['artifact.json', 'stat.json', 'files'].every((name) => this.exists(`${folder}/${name}`)));
    return [
      ...list(this.path('.pipeline', 'tmp')).map((name) => `.pipeline/tmp/${name}`),
      ...list(this.path('.pipeline', 'cache', 'tmp')).map((name) => `.pipeline/cache/tmp/${name}`),
      ...list(this.path('.pipeline')).filter((name) => name.startsWith('run.lock')),
      ...this.files('dist').filter((file) => file.includes('.pipeline-tmp-')),
      ...list(this.root).filter((name) => name.startsWith('pipeline.lock.yaml.')),
      ...halfResults.map((folder) => `${folder} is not whole`),
      ...processesOf(this.root).map((pid) => `process ${pid}`),
    ];
  }

  nodesWithResults(): string[] {
    return list(this.path(OUT));
  }

  /** Folders of a node's results (`build-native@cpu-release`), relative to the root, the last used first. */
  resultsOf(node: string): string[] {
    const used = (folder: string): number => fs.statSync(this.path(folder, 'artifact.json')).mtimeMs;
    return list(this.path(OUT, node))
      .map((name) => path.join(OUT, node, name))
      .sort((a, b) => used(b) - used(a));
  }

  /** Where the files of a node's last result lie. */
  resultFiles(node: string): string {
    const [newest] = this.resultsOf(node);
    if (newest === undefined) throw new Error(`${node} has no result`);
    return this.path(newest, 'files');
  }

  /** A program of the tools environment, `uv`. */
  tool(name: string): string {
    return path.join(this.resultFiles('setup-tools'), 'bin', name);
  }

  start(args: readonly string[], options: RunOptions = {}): PipelineRun {
    const run = new PipelineRun(this.root, args, options);
    // A test that fails before it waits for the end must not leave an unhandled rejection behind.
    run.ended.catch(() => undefined);
    this.#runs.push(run);
    return run;
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<PipelineResult> {
    return this.start(args, options).ended;
  }

  /** Puts a small file system of its own at a folder; see `mayMount`. */
  mountSmall(folder: string, bytes: number): void {
    fs.mkdirSync(this.path(folder), { recursive: true });
    mountTmpfs(this.path(folder), bytes);
    this.#mounts.push(folder);
  }

  unmount(folder: string): void {
    execFileSync('umount', [this.path(folder)]);
    this.#mounts.splice(this.#mounts.indexOf(folder), 1);
  }

  /** Ends what still runs here and deletes everything. */
  async remove(): Promise<void> {
    for (const run of this.#runs) run.child.kill('SIGKILL');
    await Promise.allSettled(this.#runs.map((run) => run.ended));
    for (const pid of processesOf(this.root)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone by itself.
      }
    }
    for (const folder of [...this.#mounts]) this.unmount(folder);
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
    made.delete(this);
  }
}

const made = new Set<Checkout>();

/** Removes every checkout of this test file that is still there, however far its set-up came; for `afterAll`. */
export async function removeCheckouts(): Promise<void> {
  for (const checkout of made) await checkout.remove();
}

export async function makeCheckout(options: CheckoutOptions = {}): Promise<Checkout> {
  const { seed = 'all' } = options;
  if (seed !== 'none') requireSeed();
  // The folder is beside the real state where possible: hard links cannot lead to another file system.
  const parent = path.join(HERE, 'node_modules', '.cache', 'e2e');
  fs.mkdirSync(parent, { recursive: true });
  removeForgotten(parent);
  const checkout = new Checkout(fs.realpathSync(fs.mkdtempSync(path.join(parent, 'checkout-'))));
  made.add(checkout);
  copyTree(checkout, options.umask ?? 0o022);
  linkModules(checkout);
  if (seed !== 'none') copyState(checkout, seed);
  if (seed === 'all') await requireFresh(checkout);
  return checkout;
}

/** Checkouts of test runs that were killed. */
function removeForgotten(parent: string): void {
  const DAY_MS = 24 * 60 * 60 * 1000;
  for (const folder of list(parent).map((name) => path.join(parent, name)))
    if (Date.now() - fs.statSync(folder).mtimeMs > DAY_MS) fs.rmSync(folder, { recursive: true, force: true });
}

const HOW = 'run `node bin/pipeline.mjs run check` in this checkout first (`npm test` does), then the e2e tests';

function requireSeed(): void {
  const missing = ['setup-tools', 'smoke-test@cpu-release'].filter(
    (node) => list(path.join(HERE, OUT, node)).length === 0,
  );
  if (missing.length > 0) throw new Error(`.pipeline has no result of ${missing.join(' and ')}: ${HOW}`);
}

/** Fails if the results are not those of these sources: each test would first build everything anew. */
async function requireFresh(checkout: Checkout): Promise<void> {
  const { code, stdout, output } = await checkout.run(['run', 'release', '--dry-run', '--json']);
  if (code !== 0) throw new Error(`pipeline.yaml cannot be planned:\n${output}`);
  const { nodes } = JSON.parse(stdout) as {
    readonly nodes: readonly { readonly id: string; readonly state: string }[];
  };
  const stale = nodes.filter(({ state }) => state !== 'unchanged').map(({ id }) => id);
  if (stale.length > 0) throw new Error(`the sources changed since .pipeline was made (${stale.join(', ')}): ${HOW}`);
}

/** Every file that git knows, and new ones that it does not ignore. */
function copyTree(checkout: Checkout, umask: number): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: HERE, encoding: 'utf8' });
  for (const file of listed.split('\0').filter((name) => name !== '' && name !== 'node_modules')) {
    const source = path.join(HERE, file);
    const stat = fs.lstatSync(source, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    const target = checkout.path(file);
    fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o777 & ~umask });
    if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target);
    else {
      fs.copyFileSync(source, target);
      fs.chmodSync(target, ((stat.mode & 0o111) === 0 ? 0o666 : 0o777) & ~umask);
    }
  }
}

/** A folder of links, so that what is cached in node_modules stays the checkout's own. */
function linkModules(checkout: Checkout): void {
  const modules = checkout.path('node_modules');
  fs.mkdirSync(modules);
  for (const name of list(path.join(HERE, 'node_modules')).filter((entry) => entry !== '.cache'))
    fs.symlinkSync(path.join(HERE, 'node_modules', name), path.join(modules, name));
}

/**
 * Files that are only ever replaced are hard links; what is written in place (records whose times are touched, the
 * cache's index) is copied. Environments are tens of thousands of files that nothing writes to: one link each.
 * Build trees hold absolute paths: only zig's own cache is taken, so that the C++ library is not built again.
 */
function copyState(checkout: Checkout, seed: 'all' | 'tools'): void {
  const from = path.join(HERE, '.pipeline');
  const to = checkout.path('.pipeline');
  const copy = (how: '-al' | '-a', part: string): void => {
    copyPart(checkout.root, how, part);
  };
  const nodes = seed === 'all' ? list(path.join(from, 'out')) : ['setup-tools'];
  for (const result of nodes.flatMap((node) =>
    list(path.join(from, 'out', node)).map((key) => path.join('out', node, key)),
  )) {
    for (const record of ['artifact.json', 'stat.json']) copy('-a', path.join(result, record));
    if (isEnvironment(path.join(from, result)))
      fs.symlinkSync(path.join(from, result, 'files'), path.join(to, result, 'files'));
    else copy('-al', path.join(result, 'files'));
  }
  if (seed === 'tools') return;
  copy('-al', path.join('cache', 'content-v2'));
  copy('-a', path.join('cache', 'index-v5'));
  for (const part of ['content-v2', 'index-v5'])
    if (fs.existsSync(path.join(inject('results'), part)))
      fs.cpSync(path.join(inject('results'), part), path.join(to, 'cache', part), { recursive: true, force: false });
  copyZigCache(checkout.root);
  copy('-a', 'published.json');
  // `cp -a` keeps the times by which published files are known.
  const dist = path.join(HERE, 'dist');
  if (fs.existsSync(dist)) execFileSync('cp', ['-a', dist, checkout.path('dist')]);
}

/** zig's C++ library, which takes a minute to build in each checkout that lacks it. */
function copyZigCache(root: string): void {
  copyPart(root, '-a', path.join('work', 'zig-cache'));
}

/** The last result of a node (`build-native[cpu-release]`) in a checkout's cache, into another cache, where it is found by its key. */
export async function copyCachedResult(from: Checkout, node: string, into: string, cache = 'cache'): Promise<void> {
  const [newest] = from.resultsOf(node.replace('[', '@').replace(']', ''));
  if (newest === undefined) throw new Error(`${node} has no result in ${from.root}`);
  const { key } = JSON.parse(from.read(path.join(newest, 'artifact.json'))) as { readonly key: string };
  const hit = await new LocalStore({ dir: from.path('.pipeline', cache) }).lookup(key);
  if (hit === undefined) throw new Error(`the cache of ${from.root} has no ${node}`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'e2e-result-'));
  await hit.restore(folder);
  await new LocalStore({ dir: into }).put(key, folder, list(folder), hit.meta);
  fs.rmSync(folder, { recursive: true });
}

/** Checkouts that are made later in this run of vitest find this result of a node, and do not make it again. */
export async function handOver(from: Checkout, node: string, cache?: string): Promise<void> {
  await copyCachedResult(from, node, inject('results'), cache);
}

/** A file or folder of our own `.pipeline` into that of another checkout, if it is there. */
function copyPart(root: string, how: '-al' | '-a', part: string): void {
  const [from, to] = [HERE, root].map((checkout) => path.join(checkout, '.pipeline', part)) as [string, string];
  if (!fs.existsSync(from)) return;
  fs.mkdirSync(path.dirname(to), { recursive: true });
  execFileSync('cp', [how, from, to]);
}

function isEnvironment(result: string): boolean {
  const { output } = JSON.parse(fs.readFileSync(path.join(result, 'artifact.json'), 'utf8')) as {
    readonly output: string;
  };
  return output === 'state';
}

function list(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
}

export function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

/** PATH without some programs: folders that hold one are replaced by folders of links to all the rest. */
export function pathWithout(scratch: string, programs: RegExp): string {
  fs.mkdirSync(scratch, { recursive: true });
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders
    .map((folder, index) => {
      const names = list(folder);
      if (!names.some((name) => programs.test(name))) return folder;
      const shadow = path.join(scratch, String(index));
      fs.mkdirSync(shadow);
      for (const name of names.filter((each) => !programs.test(each)))
        fs.symlinkSync(path.join(folder, name), path.join(shadow, name));
      return shadow;
    })
    .join(path.delimiter);
}

function mountTmpfs(folder: string, bytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'none', folder], { stdio: 'ignore' });
}

/** Whether this user may mount a file system: tried, since being root is not enough in a container. */
export function mayMount(): boolean {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'e2e-mount-'));
  try {
    mountTmpfs(folder, 4096);
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
