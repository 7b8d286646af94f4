// SPDX-License-Identifier: Apache-2.0
/** One node of a plan: found unchanged, restored from the cache, or run. */
import path from 'node:path';
import type { Artifact } from '../api.js';
import { failureOf, removeTree } from '../base/files.js';
import { forecastBefore } from '../estimate/forecast.js';
import { fail, type Failure } from '../failure.js';
import { abortReason } from '../machine/process.js';
import { toolsFor } from '../machine/tools-for.js';
import type { PlanNode } from '../plan/plan.js';
import { describe, fileNameOf, FILES, rekey, type StoredArtifact } from '../results/artifact-dir.js';
import { diffRecords, type FingerprintRecord } from '../results/fingerprint.js';
import { once, type InputSources } from './context.js';
import { findResult, takeOver, type FoundResult } from './find-result.js';
import { keep, publish } from './keep-result.js';
import { NodeVoice } from './node-voice.js';
import { takePrint, type Print } from './print.js';
import type { LineFile } from './run-files.js';
import type { RunScope } from './run-scope.js';
import { runStage } from './run-stage.js';
import { memoryOf } from './slots.js';

export type NodeOutcome =
  | { readonly status: 'hit' | 'ran'; readonly artifact: Artifact }
  | { readonly status: 'failed'; readonly failure: Failure };

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
  readonly #voice: NodeVoice;
  readonly #tempDir: string;
  readonly #startedAt: number;
  readonly #inputs: InputSources;
  /** Aborted by the node's time-out, and when its log cannot be written. */
  readonly #stop = new AbortController();

  constructor(scope: RunScope, node: PlanNode, log: LineFile, tempDir: string, startedAt: number) {
    this.#scope = scope;
    this.#node = node;
    this.#voice = new NodeVoice(scope, node, log, (error) => {
      this.#stop.abort(error);
    });
    this.#tempDir = tempDir;
    this.#startedAt = startedAt;
    const { root, stateDir, config, settings } = scope.options;
    // A given result was made elsewhere: what it was made of may not be on this machine.
    const upstream = scope.options.given?.has(node.id) === true ? [] : scope.upstreamOf(node);
    const forecast = once(() => forecastBefore(scope.plan, node, stateDir, scope.machine.cores));
    this.#inputs = { node, root, config, settings, env: scope.env, upstream, forecast };
  }

  async go(): Promise<NodeOutcome> {
    if (this.#scope.signal.aborted) throw abortReason(this.#scope.signal);
    const given = this.#scope.options.given?.get(this.#node.id);
    const seeker = { scope: this.#scope, node: this.#node, voice: this.#voice, tempDir: this.#tempDir };
    if (given !== undefined) return this.#hit(await takeOver(seeker, given), given.key);
    const print = await this.#print();
    if (print.key !== undefined && !this.#scope.options.force.has(this.#node.id)) {
      const found = await findResult(seeker, print.key);
      if (found !== undefined) return this.#hit(found, print.key);
    }
    return { status: 'ran', artifact: (await this.#run(print)).artifact };
  }

  async #print(): Promise<Print> {
    const { options, hashes } = this.#scope;
    return takePrint({ inputs: this.#inputs, options, hashes, digests: this.#scope.digestsOf(this.#node) });
  }

  async #hit({ stored, source }: FoundResult, key: string | undefined): Promise<NodeOutcome> {
    await publish(this.#scope, this.#node, path.join(stored.folder, FILES), stored.made);
    this.#scope.emit({ type: 'node-hit', time: Date.now(), node: this.#node.id, key, source });
    return { status: 'hit', artifact: stored.artifact };
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
      log: this.#voice.log.file,
      because,
    });
    this.#voice.log.write(`# ${id}: runs because ${because.join('; ')}`);
    this.#warnOfMemory();
    const staged = path.join(this.#tempDir, 'result');
    const work = {
      scope: this.#scope,
      inputs: this.#inputs,
      voice: this.#voice,
      stop: this.#stop,
      tempDir: this.#tempDir,
    };
    const value = await runStage(work, path.join(staged, FILES));
    const name = { id, stage, variant, output: definition.output };
    let made = await describe(staged, name, value, print, this.#scope.run);
    const published = await publish(this.#scope, this.#node, path.join(staged, FILES), made);
    const after = await this.#printAfter(print);
    if (after.key !== print.key) made = await rekey(staged, made, after);
    const stored = await this.#scope.folders.place(staged, made, this.#scope.run, path.join(this.#tempDir, 'aside'));
    this.#scope.later(() => keep(this.#scope, this.#voice, stored));
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
    if (wanted > free)
      this.#voice.warn(`It may take ${gib(wanted)} of memory; ${gib(free)} were free when the run began.`);
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
    const { toolFailure } = await import('../machine/tools.js');
    const failure = toolFailure(await Promise.all(required.map(this.#scope.options.findTool)), this.#node.id);
    if (failure !== undefined) fail(failure);
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
    const same = (record: FingerprintRecord): FingerprintRecord => ({
      ...record,
      files: Object.fromEntries(Object.entries(record.files).filter(([file]) => !settles.has(file))),
    });
    const changes = diffRecords(same(before.record), same(after.record));
    if (changes.length === 0) return after;
    this.#voice.warn(`Not kept for the next run, because inputs changed while it ran: ${changes.join('; ')}`);
    return { ...after, key: undefined };
  }
}

function gib(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
