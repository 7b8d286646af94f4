// SPDX-License-Identifier: Apache-2.0
import type { Failure } from '../failure.js';

/** Why a node did not have to run. */
export type HitSource = 'unchanged' | 'local-cache' | 'remote-cache' | 'handed-over';

interface At {
  /** Milliseconds since the epoch. */
  readonly time: number;
}
interface OfNode extends At {
  readonly node: string;
}

/** All that happens in a run. The terminal view, CI log, JSON lines and journal are made of these and nothing else. */
export type Event =
  | (At & {
      readonly type: 'run-started';
      readonly run: string;
      readonly pipeline: string;
      readonly nodes: readonly { readonly id: string; readonly title: string; readonly needs: readonly string[] }[];
      readonly jobs: number;
    })
  | (At & { readonly type: 'waiting-for-lock'; readonly holder: string })
  | (OfNode & {
      readonly type: 'node-started';
      readonly key: string | undefined;
      readonly log: string;
      /** What changed since its last result, in words. */
      readonly because: readonly string[];
    })
  | (OfNode & { readonly type: 'node-line'; readonly stream: 'stdout' | 'stderr' | 'log'; readonly line: string })
  | (OfNode & { readonly type: 'node-progress'; readonly text: string })
  /** About the run as a whole. */
  | (At & { readonly type: 'run-warning'; readonly text: string })
  | (OfNode & { readonly type: 'node-warning'; readonly text: string })
  /** Lines for people, shown at the end. */
  | (OfNode & { readonly type: 'node-text'; readonly text: string })
  | (OfNode & { readonly type: 'node-hit'; readonly key: string | undefined; readonly source: HitSource })
  | (OfNode & {
      readonly type: 'node-finished';
      readonly key: string | undefined;
      readonly durationMs: number;
      readonly published: readonly string[];
    })
  | (OfNode & {
      readonly type: 'node-failed';
      readonly failure: Failure;
      readonly durationMs: number;
      readonly log: string;
    })
  | (OfNode & { readonly type: 'node-skipped'; readonly because: string })
  | (At & {
      readonly type: 'run-finished';
      readonly ok: boolean;
      readonly ran: number;
      readonly hits: number;
      readonly failed: number;
      readonly skipped: number;
      readonly durationMs: number;
    });

export type EventSink = (event: Event) => void;
