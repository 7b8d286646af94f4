// SPDX-License-Identifier: Apache-2.0
/** One node of a plan: found unchanged, restored from the cache, or run. */
import fs from 'node:fs';
import path from 'node:path';
import type { Artifact, Json } from './api.js';
import {
  adoptRestored,
  ARTIFACT,
  describe,
  fileNameOf,
  FILES,
  leavingLink,
  rekey,
  type ArtifactRecord,
  type StoredArtifact,
} from './artifact-dir.js';
import { CacheContentError, CacheUnreachableError, type CacheHit } from './cache/store.js';
import { DEFAULT_TIMEOUT_MS, inputContext, stageContext, type InputSources } from './context.js';
import type { HitSource } from './events/event.js';
import { fail, PipelineFailure, type Failure } from './failure.js';
import { forecastBefore } from './forecast.js';
import { failureOf, removeTree } from './files.js';
import { diffRecords, takeFingerprint, type Fingerprint } from './fingerprint.js';
import { adoptGiven, type GivenResult } from './hand-over.js';
import type { PlanNode } from './plan.js';
import { abortReason } from './process.js';
import type { LineFile } from './run-files.js';
import type { RunScope } from './run-scope.js';
import { memoryOf } from './slots.js';
import { toolsFor } from './tools-for.js';

export type NodeOutcome =
  | { readonly status: 'hit' | 'ran'; readonly artifact: Artifact }
  | { readonly status: 'failed'; readonly failure: Failure };

/** `print.key` is undefined if the stage reads something that cannot be named. */
interface Print {
  readonly key: string | undefined;
  readonly record: Fingerprint['record'];
  readonly uncacheable: string | undefined;
}

/** After an abort a stage gets this long to return; one that ignores its signal is then left behind. */
const ABANDON_MS = 15_000;

export async function runNode(scope: RunScope, node: PlanNode): Promise<NodeOutcome> {
  const startedAt = Date.now();
  const log = scope.files.nodeLog(node.id);
  const tempDir = path.join(scope.tempDir, fileNameOf(node.id));
  try {
    return await new NodeRun(scope, node, log, tempDir, startedAt).go();
  } catch (error) {
    const failure = failureOf(error, tempDir);
    if (failure === undefined) throw error;
    scope.emit({
      type: 'node-failed',
      time: Date.now(),
      node: node.id,
      failure,
      durationMs: Date.now() - startedAt,
      log: log.file,
    });
    return { status: 'failed', failure };
  } finally {
    log.close();
    await removeTree(tempDir);
  }
}

class NodeRun {
  readonly #scope: RunScope;
  readonly #node: PlanNode;
  readonly #log: LineFile;
  readonly #tempDir: string;
  readonly #startedAt: number;
  readonly #sources: InputSources;
  /** Aborted by the node's time-out, and when its log cannot be written. */
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(scope: RunScope, node: PlanNode, log: LineFile, tempDir: string, startedAt: number) {
    this.#scope = scope;
    this.#node = node;
    this.#log = log;
    this.#tempDir = tempDir;
    this.#startedAt = startedAt;
    this.#signal = AbortSignal.any([scope.signal, this.#stop.signal]);
    const { root, config, settings } = scope.options;
    // What a given result was made of may be on another machine only.
    const upstream = scope.options.given?.has(node.id) === true ? [] : scope.upstreamOf(node);
    this.#sources = { node, root, config, settings, env: scope.env, upstream };
  }

  async go(): Promise<NodeOutcome> {
    if (this.#scope.signal.aborted) throw abortReason(this.#scope.signal);
    const given = this.#scope.options.given?.get(this.#node.id);
    if (given !== undefined) return { status: 'hit', artifact: (await this.#takeOver(given)).artifact };
    const print = await this.#print();
    if (print.key !== undefined && !this.#scope.options.force.has(this.#node.id)) {
      const hit = await this.#find(print.key);
      if (hit !== undefined) return { status: 'hit', artifact: hit.artifact };
    }
    return { status: 'ran', artifact: (await this.#run(print)).artifact };
  }

  async #print(): Promise<Print> {
    const { definition, options, variant } = this.#node;
    const inputs = await definition.inputs(inputContext(this.#sources));
    const tools = new Map<string, string>();
    for (const tool of toolsFor(definition.tools, variant))
      if (tool.inKey) tools.set(tool.name, (await this.#scope.options.findTool(tool)).version ?? 'missing');
    const { key, record } = await takeFingerprint({
      root: this.#scope.options.root,
      definition,
      options,
      variant,
      inputs,
      upstream: this.#scope.digestsOf(this.#node),
      tools,
      env: this.#scope.env,
      code: this.#scope.options.code,
      hashes: this.#scope.hashes,
    });
    return { key: inputs.uncacheable === undefined ? key : undefined, record, uncacheable: inputs.uncacheable };
  }

  async #find(key: string): Promise<StoredArtifact | undefined> {
    const here = this.#scope.folders.open(this.#node.id, key);
    if (here !== undefined) return this.#hit(here, key, 'unchanged');
    // A `state` is of this machine: no store has it.
    if (this.#node.definition.output !== 'tree') return undefined;
    const hit = await this.#scope.store.lookup(key);
    if (hit === undefined) return undefined;
    const restored = await this.#restore(hit, key);
    if (restored === undefined) return undefined;
    this.#scope.restored(hit.source);
    return this.#hit(restored, key, hit.source);
  }

  async #hit(found: StoredArtifact, key: string | undefined, source: HitSource): Promise<StoredArtifact> {
    await this.#publish(path.join(found.folder, FILES), found.made);
    this.#scope.emit({ type: 'node-hit', time: Date.now(), node: this.#node.id, key, source });
    return found;
  }

  async #restore(hit: CacheHit, key: string): Promise<StoredArtifact | undefined> {
    const { signal, run, folders } = this.#scope;
    this.#progress('restoring from the cache');
    const staged = path.join(this.#tempDir, 'restore');
    await fs.promises.mkdir(staged, { recursive: true });
    try {
      await hit.restore(staged, signal);
      const made = await adoptRestored(staged, key, run);
      if (made !== undefined) return await folders.place(staged, made, run, path.join(this.#tempDir, 'aside'));
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      await removeTree(staged);
      // The store has said for the whole run that it cannot be reached.
      if (error instanceof CacheUnreachableError) return undefined;
      if (!(error instanceof CacheContentError)) throw error;
    }
    this.#warn('What the cache holds for this stage is damaged; it is made again.');
    await removeTree(staged);
    return undefined;
  }

  async #takeOver(given: GivenResult): Promise<StoredArtifact> {
    const { folders, run, options } = this.#scope;
    const here = given.key === undefined ? undefined : folders.open(this.#node.id, given.key);
    if (here?.made.digest === given.digest) return this.#hit(here, given.key, 'handed-over');
    this.#progress(`handed over by ${given.from}`);
    const staged = path.join(this.#tempDir, 'restore');
    await fs.promises.mkdir(staged, { recursive: true });
    const made = await adoptGiven(this.#node.id, staged, { given, others: options.given ?? new Map(), run });
    const stored = await folders.place(staged, made, run, path.join(this.#tempDir, 'aside'));
    return this.#hit(stored, given.key, 'handed-over');
  }

  async #run(print: Print): Promise<StoredArtifact> {
    await this.#requireTools();
    const because = print.uncacheable === undefined ? this.#because(print) : [print.uncacheable];
    const { id, stage, variant, definition } = this.#node;
    this.#scope.emit({
      type: 'node-started',
      time: Date.now(),
      node: id,
      key: print.key,
      log: this.#log.file,
      because,
    });
    this.#log.write(`# ${id}: runs because ${because.join('; ')}`);
    this.#warnOfMemory();
    const staged = path.join(this.#tempDir, 'result');
    const value = await this.#runStage(path.join(staged, FILES));
    const name = { id, stage, variant, output: definition.output };
    let made = await describe(staged, name, value, print, this.#scope.run);
    const published = await this.#publish(path.join(staged, FILES), made);
    const after = await this.#printAfter(print);
    if (after.key !== print.key) made = await rekey(staged, made, after);
    const stored = await this.#scope.folders.place(staged, made, this.#scope.run, path.join(this.#tempDir, 'aside'));
    this.#scope.later(() => this.#keep(stored));
    this.#scope.emit({
      type: 'node-finished',
      time: Date.now(),
      node: id,
      key: made.key,
      durationMs: Date.now() - this.#startedAt,
      published,
    });
    return stored;
  }

  #warnOfMemory(): void {
    const { machine } = this.#scope;
    const [wanted, free] = [memoryOf(this.#node, machine), machine.memory];
    if (wanted > free) this.#warn(`It may take ${gib(wanted)} of memory; ${gib(free)} were free when the run began.`);
  }

  #because(print: Print): string[] {
    if (this.#scope.options.force.has(this.#node.id)) return ['it was asked to'];
    const changes = diffRecords(this.#scope.folders.latestRecord(this.#node.id), print.record);
    return changes.length === 0 ? ['its result was removed or changed'] : changes;
  }

  async #requireTools(): Promise<void> {
    const { definition, variant } = this.#node;
    const required = toolsFor(definition.tools, variant).filter((tool) => tool.required);
    if (required.length === 0) return;
    const { toolFailure } = await import('./tools.js');
    const failure = toolFailure(await Promise.all(required.map(this.#scope.options.findTool)), this.#node.id);
    if (failure !== undefined) fail(failure);
  }

  /** The stage itself: with its folders, its time-out, and an end even if it ignores its signal. */
  async #runStage(outDir: string): Promise<Json> {
    const { definition } = this.#node;
    const dirs = {
      outDir,
      workDir: path.join(this.#scope.options.stateDir, 'work', fileNameOf(this.#node.id)),
      tempDir: path.join(this.#tempDir, 'scratch'),
    };
    for (const dir of Object.values(dirs)) await fs.promises.mkdir(dir, { recursive: true });
    const signal = this.#signal;
    const limit = definition.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const timer = setTimeout(() => {
      this.#stop.abort(timedOut(this.#node, limit, this.#log.file));
    }, limit);
    const programs = new Set<Promise<unknown>>();
    const context = stageContext({
      inputs: this.#sources,
      dirs,
      signal,
      locked: this.#scope.options.locked,
      jobs: Math.max(1, Math.floor(this.#scope.machine.cores / this.#scope.running())),
      logFile: this.#log.file,
      ledger: this.#scope.ledger,
      onStart: (program) => programs.add(program),
      onLine: (stream, line) => {
        this.#line(stream, line);
      },
      onProgress: (text) => {
        this.#progress(text);
      },
      onWarning: (text) => {
        this.#warn(text);
      },
      forecast: () =>
        forecastBefore(this.#scope.plan, this.#node, this.#scope.options.stateDir, this.#scope.machine.cores),
    });
    try {
      const value = await endedOrAbandoned(definition.run(context), signal);
      if (signal.aborted) throw abortReason(signal);
      return JSON.parse(JSON.stringify(value ?? null)) as Json;
    } catch (error) {
      // What a stage throws after it was told to stop is a consequence, not the cause.
      if (signal.aborted) throw abortReason(signal);
      // Programs that it started side by side may still run: they end before its folders are removed.
      this.#stop.abort(error);
      throw error;
    } finally {
      clearTimeout(timer);
      await Promise.allSettled(programs);
    }
  }

  /**
   * The key as it is now. Files that the stage settles may have changed: the result belongs to the new key.
   * If anything else did, nobody knows which content the stage saw, and the result belongs to no key.
   */
  async #printAfter(before: Print): Promise<Print> {
    if (before.key === undefined) return before;
    const after = await this.#print();
    if (after.key === before.key) return after;
    const settles = new Set(this.#node.definition.settles ?? []);
    const same = (record: Fingerprint['record']): Fingerprint['record'] => ({
      ...record,
      files: Object.fromEntries(Object.entries(record.files).filter(([file]) => !settles.has(file))),
    });
    const changes = diffRecords(same(before.record), same(after.record));
    if (changes.length === 0) return after;
    this.#warn(`Not kept for the next run, because inputs changed while it ran: ${changes.join('; ')}`);
    return { ...after, key: undefined };
  }

  async #publish(dir: string, made: ArtifactRecord): Promise<readonly string[]> {
    const publications = this.#node.definition.publish ?? [];
    for (const { from } of publications.filter(({ show }) => show === true)) {
      const text = await fs.promises.readFile(path.join(dir, from), 'utf8');
      this.#scope.emit({ type: 'node-text', time: Date.now(), node: this.#node.id, text });
    }
    const hashes = new Map(made.files.flatMap((file) => (file.sha256 === undefined ? [] : [[file.path, file.sha256]])));
    return this.#scope.publisher.publish({
      node: this.#node.id,
      publications,
      dir,
      hashes,
    });
  }

  /** Stores the result and removes older ones; nothing waits for it but the end of the run. */
  async #keep(stored: StoredArtifact): Promise<void> {
    await this.#scope.folders.prune(this.#node.id, stored.artifact.dir);
    const { made, folder } = stored;
    if (made.key === undefined || made.output !== 'tree') return;
    const link = leavingLink(made);
    if (link !== undefined) {
      this.#warn(`Not stored in the cache: the link ${link} leads out of the result`);
      return;
    }
    try {
      const meta = { node: made.node, digest: made.digest };
      await this.#scope.store.put(made.key, folder, [ARTIFACT, FILES], meta, this.#scope.signal);
    } catch (error) {
      if (this.#scope.signal.aborted) return;
      // The result itself is safe; a cache that is full or read-only costs time later, not correctness.
      this.#warn(`Not stored in the cache: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #line(stream: 'stdout' | 'stderr' | 'log', line: string): void {
    try {
      this.#log.write(line);
    } catch (error) {
      // Thrown inside a stream's callback it would end the process; so the node is ended with it instead.
      this.#stop.abort(error);
    }
    this.#scope.emit({ type: 'node-line', time: Date.now(), node: this.#node.id, stream, line });
  }

  #progress(text: string): void {
    this.#scope.emit({ type: 'node-progress', time: Date.now(), node: this.#node.id, text });
  }

  #warn(text: string): void {
    this.#scope.emit({ type: 'node-warning', time: Date.now(), node: this.#node.id, text });
  }
}

function gib(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}

function timedOut(node: PlanNode, limit: number, log: string): PipelineFailure {
  const time = limit < 60_000 ? `${limit / 1000} s` : `${Math.round(limit / 60_000)} min`;
  return new PipelineFailure({
    kind: 'timeout',
    message: `${node.id} did not end within ${time}`,
    help: `Its output so far is in ${log}`,
  });
}

async function endedOrAbandoned<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const abandoned = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => {
        reject(abortReason(signal));
      }, ABANDON_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, abandoned]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
