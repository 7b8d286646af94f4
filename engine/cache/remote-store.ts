// SPDX-License-Identifier: Apache-2.0
import { hashFile } from '../base/files.js';
import fs from 'node:fs';
import { extractArchive, withTempFile, writeArchive } from './archive.js';
import { RemoteClient } from './remote-client.js';
import type { RemoteOptions } from './remote-options.js';
import { CacheContentError, CacheUnreachableError, type CacheHit, type CacheMeta, type CacheStore } from './store.js';

const FORMAT = 1;
/** A record is a few hundred bytes; a page of a login form is more. */
const MAX_RECORD = 16 * 1024;

/** What lies under `ac/<key>`. */
interface RemoteRecord {
  readonly format: number;
  /** The same as in the name: an answer for another key is not believed. */
  readonly key: string;
  /** sha256 of the archive, which lies under `cas/<sha256>`. */
  readonly sha256: string;
  readonly size: number;
  readonly meta: CacheMeta;
}

/** A result on the server. */
export interface RemoteHit extends CacheHit {
  /** Gets the archive, whole, into the file `target`. */
  download(target: string, signal?: AbortSignal): Promise<void>;
}

/**
 * Results on an HTTP server, laid out as in Bazel's HTTP cache: a small record per key, `ac/<key>`, names the sha256 of
 * an archive, `cas/<sha256>`. The archive is sent first and the record last, so a record that can be read belongs to a
 * whole result. What comes back is compared with the record before a byte of it is unpacked.
 */
export class RemoteStore implements CacheStore {
  readonly #client: RemoteClient;
  readonly #readOnly: boolean;
  readonly #tempDir: string;

  constructor(options: RemoteOptions, tempDir: string) {
    this.#client = new RemoteClient(options);
    this.#readOnly = options.readOnly;
    this.#tempDir = tempDir;
  }

  async lookup(key: string): Promise<RemoteHit | undefined> {
    const record = parseRecord(await this.#client.getText(recordName(key), MAX_RECORD), key);
    if (record === undefined || !(await this.#client.exists(archiveName(record)))) return undefined;
    const download = (target: string, signal?: AbortSignal) => this.#download(record, target, signal);
    return {
      meta: record.meta,
      source: 'remote-cache',
      download,
      restore: (into, signal) =>
        withTempFile(this.#tempDir, async (file) => {
          await download(file, signal);
          await extractArchive(file, into);
        }),
    };
  }

  async put(
    key: string,
    folder: string,
    names: readonly string[],
    meta: CacheMeta,
    signal?: AbortSignal,
  ): Promise<void> {
    await withTempFile(this.#tempDir, async (file) => {
      await writeArchive(folder, names, file, signal);
      await this.putArchive(key, file, meta, signal);
    });
  }

  /** Stores a whole archive (see `writeArchive`) that was made before. */
  async putArchive(key: string, file: string, meta: CacheMeta, signal?: AbortSignal): Promise<void> {
    if (this.#readOnly) return;
    const { size } = await fs.promises.stat(file);
    const record: RemoteRecord = { format: FORMAT, key, sha256: await hashFile(file), size, meta };
    // The archive is sent even if the server has it already: what it has may be damaged.
    await this.#client.putFile(archiveName(record), file, signal);
    await this.#client.putText(recordName(key), JSON.stringify(record), signal);
  }

  async #download(record: RemoteRecord, target: string, signal?: AbortSignal): Promise<void> {
    const found = await this.#client.getFile(archiveName(record), target, record.size, signal);
    if (found?.sha256 === record.sha256 && found.size === record.size) return;
    await this.#forget(record.key);
    throw new CacheContentError(`content of ${record.key.slice(0, 12)} is damaged`);
  }

  /** Removes a damaged result's record: no other run then downloads it, until it is put again. */
  async #forget(key: string): Promise<void> {
    if (this.#readOnly) return;
    try {
      await this.#client.remove(recordName(key));
    } catch (error) {
      if (!(error instanceof CacheUnreachableError)) throw error;
    }
  }
}

function recordName(key: string): string {
  return `ac/${key}`;
}

function archiveName({ sha256 }: RemoteRecord): string {
  return `cas/${sha256}`;
}

/** The record that a text holds; undefined if it is no record of ours, or one of another key. */
function parseRecord(text: string | undefined, key: string): RemoteRecord | undefined {
  let record: Partial<RemoteRecord> | null;
  try {
    record = JSON.parse(text ?? 'null') as Partial<RemoteRecord> | null;
  } catch {
    return undefined;
  }
  const { format, sha256, size, meta } = record ?? {};
  if (format !== FORMAT || record?.key !== key) return undefined;
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  if (typeof meta?.node !== 'string' || typeof meta.digest !== 'string') return undefined;
  return { format, key, sha256, size, meta };
}
