// SPDX-License-Identifier: Apache-2.0
import type { ProjectConfig, ToolSpec } from '../api.js';
import type { CacheStore } from '../cache/store.js';
import type { EventSink } from '../events/event.js';
import type { StageCode } from '../results/stage-code.js';
import type { GivenResult } from '../legs/hand-over.js';
import type { Machine } from '../machine/machine.js';
import type { ProbedTool } from '../machine/tools.js';

/** What a run is told: the checkout, what to force, whom to tell. */
export interface ExecuteOptions {
  readonly root: string;
  /** `.pipeline` below root unless told. */
  readonly stateDir: string;
  readonly config: ProjectConfig;
  readonly settings: Readonly<Record<string, string>>;
  readonly locked: boolean;
  /** Nodes side by side, as far as memory allows. */
  readonly jobs: number;
  /** Default: what this process may use now. */
  readonly machine?: Machine;
  /** Node ids that run although their key is known. */
  readonly force: ReadonlySet<string>;
  /** Results that another machine made, by node: such a node is a hit, whatever its inputs are here. */
  readonly given?: ReadonlyMap<string, GivenResult>;
  /** Fail at once (kind `busy`) instead of waiting for another run in this checkout. */
  readonly noWait: boolean;
  readonly signal: AbortSignal;
  readonly emit: EventSink;
  /** Which source files belong to a stage. */
  readonly code: StageCode;
  /** Looks for a tool; asked again for the same tool, it should answer from memory. */
  readonly findTool: (tool: ToolSpec) => Promise<ProbedTool>;
  /** Environment that stages see; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: on this machine, in `$PIPELINE_CACHE_DIR` or `<stateDir>/cache`, and behind it `$PIPELINE_REMOTE_CACHE`. */
  readonly store?: CacheStore;
}
