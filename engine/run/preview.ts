// SPDX-License-Identifier: Apache-2.0
/** What a run would do, found out without running, locking or writing anything. */
import type { Artifact } from '../api.js';
import { ArtifactFolders } from '../results/artifact-dir.js';
import { FileHashes } from '../cache/file-hashes.js';
import { openStore } from '../cache/open-store.js';
import { withoutRemoteCache } from '../cache/remote-options.js';
import type { CacheStore } from '../cache/store.js';
import { once } from './context.js';
import type { HitSource } from '../events/event.js';
import type { ExecuteOptions } from './execute-options.js';
import { PipelineFailure } from '../failure.js';
import { type FingerprintRecord, diffRecords } from '../results/fingerprint.js';
import { partRead } from '../results/part-read.js';
import type { Plan, PlanNode } from '../plan/plan.js';
import { forecastBefore } from '../estimate/forecast.js';
import { thisMachine } from '../machine/machine.js';
import { takePrint, type Print } from './print.js';

export interface NodePreview {
  readonly node: PlanNode;
  /** `depends`: it runs if something before it, that runs or is restored, gives another result than last time. */
  readonly state: 'unchanged' | 'cached' | 'runs' | 'depends';
  readonly because: readonly string[];
  /** Where the run would take it from, if not anew. */
  readonly source?: HitSource;
  /** The print of the node's inputs as they are now; undefined if it cannot be known before the run. */
  readonly now?: Print;
  /** The record of the last result. */
  readonly before?: FingerprintRecord;
}

export type PreviewOptions = Pick<
  ExecuteOptions,
  'root' | 'stateDir' | 'config' | 'settings' | 'force' | 'code' | 'findTool' | 'env' | 'store' | 'emit' | 'machine'
>;

export async function preview(plan: Plan, options: PreviewOptions): Promise<NodePreview[]> {
  const previewer = new Previewer(plan, options);
  const found: NodePreview[] = [];
  for (const node of plan.nodes) found.push(await previewer.look(node));
  return found;
}

class Previewer {
  readonly #plan: Plan;
  readonly #options: PreviewOptions;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #folders: ArtifactFolders;
  readonly #hashes: FileHashes;
  readonly #store: CacheStore;
  /** Results that the run would start from; a node that runs has none yet. */
  readonly #known = new Map<string, Artifact>();

  constructor(plan: Plan, options: PreviewOptions) {
    this.#plan = plan;
    this.#options = options;
    const env = options.env ?? process.env;
    this.#env = withoutRemoteCache(env);
    this.#folders = new ArtifactFolders(options.stateDir);
    this.#hashes = new FileHashes(options.stateDir);
    const warn = (text: string): void => {
      options.emit({ type: 'run-warning', time: Date.now(), text });
    };
    this.#store = options.store ?? openStore({ stateDir: options.stateDir, env, warn });
  }

  async look(node: PlanNode): Promise<NodePreview> {
    const open = node.needs.filter((id) => !this.#known.has(id));
    const before = this.#folders.latestRecord(node.id);
    const past = before === undefined ? {} : { before };
    if (this.#options.force.has(node.id)) return { node, state: 'runs', because: ['it was asked to'], ...past };
    if (open.length > 0) {
      if (before === undefined) return { node, state: 'runs', because: ['there is no earlier result'] };
      return { node, state: 'depends', because: [`if ${open.join(' or ')} gives another result`], ...past };
    }
    try {
      const print = await this.#print(node);
      if (print.key === undefined) {
        return { node, state: 'runs', because: [print.uncacheable ?? ''], now: print, ...past };
      }
      const here = this.#folders.open(node.id, print.key);
      if (here) {
        this.#known.set(node.id, here.artifact);
        return { node, state: 'unchanged', source: 'unchanged', because: [], now: print, ...past };
      }
      const hit = node.definition.output === 'tree' ? await this.#store.lookup(print.key) : undefined;
      const changes = diffRecords(before, print.record);
      const because = changes.length > 0 ? changes : ['its result was removed or changed'];
      if (hit !== undefined) return { node, state: 'cached', source: hit.source, because, now: print, ...past };
      return { node, state: 'runs', because, now: print, ...past };
    } catch (error) {
      if (!(error instanceof PipelineFailure)) throw error;
      return { node, state: 'runs', because: [error.failure.message], ...past };
    }
  }

  async #print(node: PlanNode): Promise<Print> {
    const { root, stateDir, config, settings, machine = thisMachine() } = this.#options;
    const known = new Map(
      node.needs.flatMap((id) => {
        const artifact = this.#known.get(id);
        return artifact === undefined ? [] : [[id, partRead(node, artifact)] as const];
      }),
    );
    const upstream = [...known.values()];
    const forecast = once(() => forecastBefore(this.#plan, node, stateDir, machine.cores));
    const inputs = { node, root, config, settings, env: this.#env, upstream, forecast };
    const digests = new Map(node.needs.map((id) => [id, known.get(id)?.digest ?? '']));
    return takePrint({ inputs, options: this.#options, hashes: this.#hashes, digests });
  }
}
