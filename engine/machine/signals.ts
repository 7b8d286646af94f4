// SPDX-License-Identifier: Apache-2.0
import { PipelineFailure } from '../failure.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Cancellation {
  readonly signal: AbortSignal;
  /** Gives the signals back to their default handling. */
  dispose(): void;
}

/**
 * Turns the first SIGINT, SIGTERM or SIGHUP into an abort whose reason carries its name; `onSecond` is
 * called for a second one (by default the process exits at once, and its children are killed with it).
 */
export function cancelOnSignals(onSecond: (code: number) => void = (code) => process.exit(code)): Cancellation {
  const controller = new AbortController();
  const handle = (name: NodeJS.Signals): void => {
    const signal = SIGNALS.find((known) => known === name) ?? 'SIGINT';
    if (controller.signal.aborted) onSecond({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    else controller.abort(new PipelineFailure({ kind: 'cancelled', message: `Cancelled by ${signal}`, signal }));
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  return {
    signal: controller.signal,
    dispose() {
      for (const signal of SIGNALS) process.off(signal, handle);
    },
  };
}
