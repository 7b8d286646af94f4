// SPDX-License-Identifier: Apache-2.0
import type { HitSource } from '../events/event.js';

/** A few words about a stored result, readable without unpacking it. */
export interface CacheMeta {
  readonly node: string;
  readonly digest: string;
}

/** A stored result. Nothing is written until `restore` is called. */
export interface CacheHit {
  readonly meta: CacheMeta;
  readonly source: Exclude<HitSource, 'unchanged' | 'handed-over'>;
  /**
   * Writes the folder's content into the empty folder `into`. Rejects with `CacheContentError` if what
   * is stored is not whole any more, with `CacheUnreachableError` if it could not be got: what was written by
   * then must be thrown away.
   */
  restore(into: string, signal?: AbortSignal): Promise<void>;
}

/** Keeps folders by key. Every store passes test/contract/cache-contract.ts. */
export interface CacheStore {
  /** undefined: nothing (whole) is stored under `key`. */
  lookup(key: string): Promise<CacheHit | undefined>;
  /**
   * Stores what is at `names` in `folder`: regular files (with their executable bit), links and whole folders.
   * All or nothing: a hit is seen only after the whole content is safe. Putting a key again is allowed; the last
   * one holds.
   */
  put(key: string, folder: string, names: readonly string[], meta: CacheMeta, signal?: AbortSignal): Promise<void>;
  /** Called at the end of a run that stored something: brings the store back within its bounds. */
  trim?(): Promise<void>;
  /** Called when the run waits for nothing but puts, which may take a bounded time from now on. */
  lastCall?(): void;
}

/** What is stored under a key does not agree with its checksum, or is cut off. The key counts as missing. */
export class CacheContentError extends Error {
  override readonly name = 'CacheContentError';
}

/** The store is elsewhere and does not answer, refuses, or breaks off. Says nothing about what it holds. */
export class CacheUnreachableError extends Error {
  override readonly name = 'CacheUnreachableError';
}
