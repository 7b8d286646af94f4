// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { Artifact } from '../api.js';
import { ArtifactFolders } from '../results/artifact-dir.js';
import { partRead } from '../results/part-read.js';
import { FileHashes } from '../cache/file-hashes.js';
import { openStore } from '../cache/open-store.js';
import { withoutRemoteCache } from '../cache/remote-options.js';
import type { CacheStore } from '../cache/store.js';
import type { Event, HitSource } from '../events/event.js';
import type { ExecuteOptions } from './execute-options.js';
import { fail } from '../failure.js';
import { type Machine, thisMachine } from '../machine/machine.js';
import type { Plan, PlanNode } from '../plan/plan.js';
import { ChildLedger } from '../machine/process.js';
import { Publisher } from '../results/publish.js';
import { newRunId, RunFiles } from './run-files.js';

/** What the nodes of one run share. */
export class RunScope {
  readonly plan: Plan;
  readonly options: ExecuteOptions;
  readonly run = newRunId();
  readonly tempDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly files: RunFiles;
  readonly folders: ArtifactFolders;
  readonly hashes: FileHashes;
  readonly publisher: Publisher;
  readonly store: CacheStore;
  readonly ledger: ChildLedger;
  readonly machine: Machine;

  readonly #stop = new AbortController();
  readonly #done = new Map<string, Artifact>();
  readonly #later: Promise<void>[] = [];
  /** True once something was put into the store of this machine. */
  #stored = false;

  constructor(plan: Plan, options: ExecuteOptions) {
    const { root, stateDir } = options;
    this.plan = plan;
    this.options = options;
    this.tempDir = path.join(stateDir, 'tmp', this.run);
    const env = options.env ?? process.env;
    this.env = withoutRemoteCache(env);
    this.signal = AbortSignal.any([options.signal, this.#stop.signal]);
    this.files = new RunFiles(stateDir, this.run);
    this.folders = new ArtifactFolders(stateDir);
    this.hashes = new FileHashes(stateDir);
    this.publisher = new Publisher(root, stateDir);
    const warn = (text: string): void => {
      this.emit({ type: 'run-warning', time: Date.now(), text });
    };
    this.store = options.store ?? openStore({ stateDir, env, warn });
    this.machine = options.machine ?? thisMachine();
    this.ledger = new ChildLedger(path.join(this.tempDir, 'children'));
  }

  /** Ends what runs, because of a bug in one node. */
  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  emit(event: Event): void {
    try {
      this.files.record(event);
    } catch (error) {
      // Events come from callbacks too; a journal that cannot be written ends the run in the ordered way.
      this.stop(error);
    }
    this.options.emit(event);
  }

  finished(node: PlanNode, artifact: Artifact): void {
    this.#done.set(node.id, artifact);
  }

  get artifacts(): ReadonlyMap<string, Artifact> {
    return this.#done;
  }

  /** Results of what `node` needs: those of this run or, for nodes that are not in the plan, the last ones made. */
  upstreamOf(node: PlanNode): readonly Artifact[] {
    return node.needs.map((id) => this.#artifact(id, node));
  }

  digestsOf(node: PlanNode): ReadonlyMap<string, string> {
    return new Map(node.needs.map((id) => [id, this.#artifact(id, node).digest]));
  }

  #artifact(id: string, reader: PlanNode): Artifact {
    const known = this.#done.get(id) ?? this.folders.latest(id)?.artifact;
    if (known === undefined)
      fail({
        kind: 'usage',
        message: `${reader.id} needs the result of ${id}, which is not part of this run and was not made before`,
        help: `Run ${id} too.`,
      });
    this.#done.set(id, known);
    return partRead(reader, known);
  }

  /** Notes that a result came from `source` and was kept here. */
  restored(source: HitSource): void {
    this.#stored ||= source === 'remote-cache';
  }

  /** Starts work that no node waits for, only the end of the run. */
  later(work: () => Promise<void>): void {
    this.#stored = true;
    const done = work();
    // `settled` looks at it; until then a rejection must not count as unhandled.
    done.catch(() => undefined);
    this.#later.push(done);
  }

  /** Resolves when no such work is under way, however it ended. */
  async idle(): Promise<void> {
    this.store.lastCall?.();
    await Promise.allSettled(this.#later);
  }

  /** Waits for that work and throws its first error; then brings the store back within its bounds. */
  async settled(): Promise<void> {
    const results = await Promise.allSettled(this.#later);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    if (this.#stored && !this.signal.aborted) await this.store.trim?.();
  }
}
