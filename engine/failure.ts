// SPDX-License-Identifier: Apache-2.0
import type { Diagnostic } from './diagnostic.js';

/**
 * Everything that is expected to go wrong, as a tagged union. Each tag has one
 * exit code (`EXIT_CODES`), so that scripts and CI can tell the families apart.
 * An exception that does not carry one of these is a bug of the pipeline.
 */
export type Failure =
  | { readonly kind: 'usage'; readonly message: string; readonly help?: string }
  | { readonly kind: 'config'; readonly message: string; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'resolution'; readonly message: string; readonly detail: string; readonly help?: string }
  | { readonly kind: 'lock'; readonly message: string; readonly detail?: string; readonly help?: string }
  | {
      readonly kind: 'integrity';
      readonly message: string;
      readonly file: string;
      readonly wanted: string;
      readonly found: string;
      readonly help?: string;
    }
  | { readonly kind: 'network'; readonly message: string; readonly detail?: string; readonly help?: string }
  | { readonly kind: 'tool-missing'; readonly message: string; readonly help: string }
  | {
      readonly kind: 'command';
      readonly message: string;
      readonly command: string;
      readonly exitCode?: number;
      readonly tail: readonly string[];
      readonly log?: string;
      readonly help?: string;
    }
  | { readonly kind: 'test'; readonly message: string; readonly detail: string; readonly help?: string }
  | { readonly kind: 'disk'; readonly message: string; readonly help?: string }
  | { readonly kind: 'busy'; readonly message: string; readonly help?: string }
  | { readonly kind: 'timeout'; readonly message: string; readonly help?: string }
  | { readonly kind: 'cancelled'; readonly message: string; readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' };

export type FailureKind = Failure['kind'];

/** Exit code per failure family; documented in docs/exit-codes.md. 0 is success, 70 a bug. */
export const EXIT_CODES = {
  usage: 2,
  config: 3,
  resolution: 4,
  lock: 5,
  integrity: 6,
  network: 7,
  'tool-missing': 8,
  command: 9,
  test: 10,
  disk: 11,
  busy: 12,
  timeout: 13,
  cancelled: 130,
} as const satisfies Record<FailureKind, number>;

/** Exit code of an exception that carries no `Failure` (sysexits' EX_SOFTWARE). */
export const EXIT_BUG = 70;

/** Exit code of a question to which the answer is that nothing is known: neither yes nor no. */
export const EXIT_UNKNOWN = 14;

/** Carries a `Failure` up to the boundary (stage or command) that turns it into a value again. */
export class PipelineFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'PipelineFailure';
    this.failure = failure;
  }
}

/** Ends the current stage or command with `failure`. */
export function fail(failure: Failure): never {
  throw new PipelineFailure(failure);
}

/** The exit code to end the process with for `failure`; a signal keeps its 128 + number. */
export function exitCodeOf(failure: Failure): number {
  if (failure.kind !== 'cancelled') return EXIT_CODES[failure.kind];
  return { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[failure.signal];
}
