// SPDX-License-Identifier: Apache-2.0
/** What a run would do, found out without running, locking or writing anything. */
import type { Artifact } from './api.js';
import { ArtifactFolders } from './artifact-dir.js';
import { FileHashes } from './cache/file-hashes.js';
import { openStore } from './cache/open-store.js';
import { withoutRemoteCache } from './cache/remote-options.js';
import type { CacheStore } from './cache/store.js';
import { inputContext } from './context.js';
import type { HitSource } from './events/event.js';
import type { ExecuteOptions } from './execute-options.js';
import { PipelineFailure } from './failure.js';
import { type Fingerprint, type FingerprintRecord, diffRecords, takeFingerprint } from './fingerprint.js';
import type { Plan, PlanNode } from './plan.js';
import { toolsFor } from './tools-for.js';

export interface NodePreview {
  readonly node: PlanNode;
  /** `depends`: it runs if something before it, that runs or is restored, gives another result than last time. */
  readonly state: 'unchanged' | 'cached' | 'runs' | 'depends';
  readonly because: readonly string[];
  /** Where the run would take it from, if not anew. */
  readonly source?: HitSource;
  /** As the node's inputs are now; undefined if they cannot be known before the run. */
  readonly now?: Fingerprint;
  /** Of the last result. */
  readonly before?: FingerprintRecord;
}

export type PreviewOptions = Pick<
  ExecuteOptions,
  'root' | 'stateDir' | 'config' | 'settings' | 'force' | 'code' | 'findTool' | 'env' | 'store' | 'emit'
>;

export async function preview(plan: Plan, options: PreviewOptions): Promise<NodePreview[]> {
  const previewer = new Previewer(options);
  const found: NodePreview[] = [];
  for (const node of plan.nodes) found.push(await previewer.look(node));
  return found;
}

class Previewer {
  readonly #options: PreviewOptions;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #folders: ArtifactFolders;
  readonly #hashes: FileHashes;
  readonly #store: CacheStore;
  /** Results that the run would start from; a node that runs has none yet. */
  readonly #known = new Map<string, Artifact>();

  constructor(options: PreviewOptions) {
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
      const { print, uncacheable } = await this.#print(node);
      if (uncacheable !== undefined) return { node, state: 'runs', because: [uncacheable], now: print, ...past };
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

  async #print(node: PlanNode): Promise<{ print: Fingerprint; uncacheable: string | undefined }> {
    const { root, config, settings, code, findTool } = this.#options;
    const { definition, options, variant } = node;
    const upstream = node.needs.flatMap((id) => this.#known.get(id) ?? []);
    const inputs = await definition.inputs(inputContext({ node, root, config, settings, env: this.#env, upstream }));
    const tools = new Map<string, string>();
    for (const tool of toolsFor(definition.tools, variant)) {
      if (tool.inKey) tools.set(tool.name, (await findTool(tool)).version ?? 'missing');
    }
    const digests = new Map(node.needs.map((id) => [id, this.#known.get(id)?.digest ?? '']));
    const sources = { root, definition, options, variant, inputs, tools, code, upstream: digests };
    const print = await takeFingerprint({ ...sources, env: this.#env, hashes: this.#hashes });
    return { print, uncacheable: inputs.uncacheable };
  }
}
