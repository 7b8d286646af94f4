// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { hasCode, lstatOrUndefined, removeTree, walk } from '../base/files.js';
import { extractArchive, withTempFile, writeArchive } from './archive.js';
import { CacheContentError, type CacheHit, type CacheMeta, type CacheStore } from './store.js';

const GIB = 1024 ** 3;
const DEFAULT_MAX_BYTES = 5 * GIB;
/** Unlisted content is left alone for this long: another process may be between writing and listing it. */
const ORPHAN_AGE_MS = 3_600_000;

export interface LocalStoreOptions {
  readonly dir: string;
  /** Above this size the least recently used results are removed. */
  readonly maxBytes?: number;
}

interface StoredEntry {
  readonly integrity: string;
  readonly path: string;
  readonly metadata?: unknown;
}

/**
 * Results on this machine: a deterministic tar.gz of the folder in a cacache, which is content-addressed,
 * verified on every read and safe against concurrent and killed writers.
 */
export class LocalStore implements CacheStore {
  readonly #dir: string;
  readonly #maxBytes: number;

  constructor(options: LocalStoreOptions) {
    this.#dir = options.dir;
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  }

  /** For archives on their way in; what a killed process leaves in it is removed by `trim`. */
  get tempDir(): string {
    return path.join(this.#dir, 'tmp');
  }

  async lookup(key: string): Promise<CacheHit | undefined> {
    if (!fs.existsSync(this.#dir)) return undefined;
    const { default: cacache } = await import('cacache');
    const entry = (await cacache.get.info(this.#dir, key)) as StoredEntry | null;
    if (entry === null || !fs.existsSync(entry.path)) return undefined;
    const meta = entry.metadata as CacheMeta;
    return { meta, source: 'local-cache', restore: (into, signal) => this.#restore(key, entry, into, signal) };
  }

  async put(
    key: string,
    folder: string,
    names: readonly string[],
    meta: CacheMeta,
    signal?: AbortSignal,
  ): Promise<void> {
    await withTempFile(this.tempDir, async (file) => {
      await writeArchive(folder, names, file, signal);
      await this.putArchive(key, file, meta);
    });
  }

  /** Stores a whole archive (see `writeArchive`) that was made before. */
  async putArchive(key: string, file: string, meta: CacheMeta): Promise<void> {
    const { default: cacache } = await import('cacache');
    const sink = cacache.put.stream(this.#dir, key, { metadata: meta });
    const stored = (sink as unknown as { promise(): Promise<void> }).promise();
    // The rejection is handled early: a failure before the last write would otherwise leave it unhandled.
    stored.catch(() => undefined);
    for await (const chunk of fs.createReadStream(file, { highWaterMark: 1024 * 1024 }))
      if (!sink.write(chunk as Buffer)) await Promise.race([once(sink, 'drain'), stored]);
    sink.end();
    await stored;
  }

  async #restore(key: string, entry: StoredEntry, into: string, signal?: AbortSignal): Promise<void> {
    const { default: cacache } = await import('cacache');
    try {
      // Verified before the first file is written: damaged content never reaches `into`.
      const content = cacache.get.stream.byDigest(this.#dir, entry.integrity);
      content.on('data', () => undefined);
      await content.promise();
      signal?.throwIfAborted();
      await extractArchive(entry.path, into);
    } catch (error) {
      if (signal?.aborted === true || hasCode(error, 'ENOSPC', 'EDQUOT', 'EROFS', 'EACCES')) throw error;
      // Without this, putting the same bytes again would keep the damaged file.
      await cacache.rm.content(this.#dir, entry.integrity);
      await removeEntry(this.#dir, key);
      throw new CacheContentError(`content of ${key.slice(0, 12)} is damaged`, { cause: error });
    }
    const now = new Date();
    await fs.promises.utimes(entry.path, now, now).catch(() => undefined);
  }

  /** Removes what was used longest ago until the bound holds, and what killed writers left behind. */
  async trim(): Promise<void> {
    if (!fs.existsSync(this.#dir)) return;
    const { default: cacache } = await import('cacache');
    const blobs = new Map<string, { keys: string[]; integrity: string; size: number; used: number }>();
    for (const [key, entry] of Object.entries(await cacache.ls(this.#dir))) {
      const stat = lstatOrUndefined(entry.path);
      const blob = blobs.get(entry.path);
      if (stat === undefined) await removeEntry(this.#dir, key);
      else if (blob !== undefined) blob.keys.push(key);
      else blobs.set(entry.path, { keys: [key], integrity: entry.integrity, size: stat.size, used: stat.mtimeMs });
    }
    let total = [...blobs.values()].reduce((sum, blob) => sum + blob.size, 0);
    for (const blob of [...blobs.values()].sort((a, b) => a.used - b.used)) {
      if (total <= this.#maxBytes) break;
      for (const key of blob.keys) await removeEntry(this.#dir, key);
      await cacache.rm.content(this.#dir, blob.integrity);
      total -= blob.size;
    }
    await this.#removeOrphans(new Set(blobs.keys()));
  }

  async #removeOrphans(listed: ReadonlySet<string>): Promise<void> {
    const limit = Date.now() - ORPHAN_AGE_MS;
    for (const name of fs.readdirSync(this.#dir)) {
      if (name !== 'tmp' && !name.startsWith('content-')) continue;
      const folder = path.join(this.#dir, name);
      for (const entry of walk(folder)) {
        const file = path.join(folder, entry.path);
        if (entry.stat.isFile() && entry.stat.mtimeMs < limit && !listed.has(file)) await removeTree(file);
      }
    }
  }
}

/** `removeFully` deletes the index file instead of adding a tombstone to it (the types lack the option). */
async function removeEntry(dir: string, key: string): Promise<void> {
  const { default: cacache } = await import('cacache');
  const remove = cacache.rm.entry as (dir: string, key: string, options: { removeFully: boolean }) => Promise<unknown>;
  await remove(dir, key, { removeFully: true });
}
