// SPDX-License-Identifier: Apache-2.0
import pLimit from 'p-limit';
import { extractArchive, withTempFile, writeArchive } from './archive.js';
import type { LocalStore } from './local-store.js';
import type { RemoteHit, RemoteStore } from './remote-store.js';
import { CacheUnreachableError, type CacheHit, type CacheMeta, type CacheStore } from './store.js';

/** Archives sent side by side. */
const UPLOADS = 4;
/** After the last stage ended, a run waits this long for what is still being sent. */
const LAST_CALL_MS = 60_000;

export interface LayeredOptions {
  readonly local: LocalStore;
  readonly remote: RemoteStore;
  /** How the remote store is called in warnings. */
  readonly name: string;
  readonly warn: (text: string) => void;
  readonly lastCallMs?: number;
}

/**
 * The store of this machine, and a shared one behind it. What the first lacks is looked for in the second and kept in
 * the first; what is made goes to both. The first trouble with the shared store is reported, and the run goes on
 * without it.
 */
export class LayeredStore implements CacheStore {
  readonly #options: LayeredOptions;
  readonly #uploads = pLimit(UPLOADS);
  readonly #tooLate = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #readable = true;
  #writable = true;

  constructor(options: LayeredOptions) {
    this.#options = options;
  }

  async lookup(key: string): Promise<CacheHit | undefined> {
    const { local, remote } = this.#options;
    const here = await local.lookup(key);
    if (here !== undefined || !this.#readable) return here;
    try {
      const hit = await remote.lookup(key);
      return hit && { ...hit, restore: (into, signal) => this.#restore(key, hit, into, signal) };
    } catch (error) {
      if (!(error instanceof CacheUnreachableError)) throw error;
      this.#stopReading(error);
      return undefined;
    }
  }

  async put(
    key: string,
    folder: string,
    names: readonly string[],
    meta: CacheMeta,
    signal?: AbortSignal,
  ): Promise<void> {
    const { local, remote } = this.#options;
    await withTempFile(local.tempDir, async (file) => {
      await writeArchive(folder, names, file, signal);
      await local.putArchive(key, file, meta);
      const stop = AbortSignal.any([this.#tooLate.signal, ...(signal === undefined ? [] : [signal])]);
      await this.#uploads(async () => {
        if (!this.#writable) return;
        try {
          await remote.putArchive(key, file, meta, stop);
        } catch (error) {
          if (!(error instanceof CacheUnreachableError)) throw error;
          this.#stopWriting(error);
        }
      });
    });
  }

  async trim(): Promise<void> {
    await this.#options.local.trim();
  }

  lastCall(): void {
    const ms = this.#options.lastCallMs ?? LAST_CALL_MS;
    this.#timer ??= setTimeout(() => {
      this.#tooLate.abort(
        new CacheUnreachableError(`results were still being sent ${ms / 1000} s after the last stage`),
      );
    }, ms).unref();
  }

  async #restore(key: string, hit: RemoteHit, into: string, signal?: AbortSignal): Promise<void> {
    const { local } = this.#options;
    await withTempFile(local.tempDir, async (file) => {
      try {
        await hit.download(file, signal);
      } catch (error) {
        if (error instanceof CacheUnreachableError) this.#stopReading(error);
        throw error;
      }
      await local.putArchive(key, file, hit.meta);
      await extractArchive(file, into);
    });
  }

  /** A server that cannot be read is not written to either, since each node would wait for it again. */
  #stopReading(error: CacheUnreachableError): void {
    if (!this.#readable) return;
    this.#readable = false;
    this.#writable = false;
    this.#options.warn(`This run goes on without the shared cache ${this.#options.name}: ${error.message}`);
  }

  #stopWriting(error: CacheUnreachableError): void {
    if (!this.#writable) return;
    this.#writable = false;
    this.#options.warn(`This run puts nothing more into the shared cache ${this.#options.name}: ${error.message}`);
  }
}
