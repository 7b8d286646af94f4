// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { PipelineFailure } from '../../engine/failure.js';
import { familyOf, outputOf } from './client-failure.js';

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** Milliseconds before each further try. */
  readonly delays?: readonly number[];
}

const DELAYS = [500, 2_000, 6_000];

/** Tries again when the network was at fault; any other error ends it at once. */
export async function withRetries<T>(what: string, options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  for (const delay of options.delays ?? DELAYS) {
    try {
      return await attempt();
    } catch (error) {
      if (options.signal.aborted || !isNetworkFault(error)) throw error;
      options.log(`${what}: ${firstLine(outputOf(error))}; trying again in ${delay / 1000} s`);
      await sleep(delay, undefined, { signal: options.signal });
    }
  }
  return attempt();
}

/** Thrown by our own connections when they break. */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault';
}

export function isNetworkFault(error: unknown): boolean {
  if (error instanceof ConnectionFault) return true;
  if (error instanceof PipelineFailure) {
    const { failure } = error;
    return failure.kind === 'network' || (failure.kind === 'command' && familyOf(outputOf(error)) === 'network');
  }
  return false;
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? 'no output';
}
