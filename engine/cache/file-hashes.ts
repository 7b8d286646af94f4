// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import path from 'node:path';
import { hashFile, readJsonFile, writeFileAtomically } from '../base/files.js';

/** size, mtime and ctime in milliseconds (with fractions), inode, sha256. */
type Entry = readonly [size: number, mtimeMs: number, ctimeMs: number, ino: number, sha256: string];

const FORMAT = 1;

/**
 * A file written within this time of its hashing may be written again without a visible change of
 * its times (their granularity is up to 2 s on some file systems), so such a hash is not remembered.
 */
const RACY_MS = 2_000;

/**
 * sha256 of files, remembered from run to run by size, times and inode, so that a warm run reads no file.
 * The change time is compared too: a tool that sets the modification time back cannot hide a change.
 */
export class FileHashes {
  readonly #file: string;
  readonly #entries: Map<string, Entry>;
  readonly #now: () => number;
  #changed = false;

  constructor(stateDir: string, now: () => number = Date.now) {
    this.#file = path.join(stateDir, 'file-hashes.json');
    this.#entries = load(this.#file);
    this.#now = now;
  }

  /**
   * The sha256 of a file; undefined if there is no such file (or it is a folder). A promise only if the file has to be
   * read.
   */
  of(file: string): Promise<string> | string | undefined {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return undefined;
    const known = this.#entries.get(file);
    return known !== undefined && describes(known, stat) ? known[4] : this.#hash(file, stat, known !== undefined);
  }

  async #hash(file: string, stat: fs.Stats, known: boolean): Promise<string> {
    const startedAt = this.#now();
    const sha256 = await hashFile(file);
    const settled = Math.max(stat.mtimeMs, stat.ctimeMs) < startedAt - RACY_MS;
    if (settled) this.#entries.set(file, [stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino, sha256]);
    else this.#entries.delete(file);
    if (settled || known) this.#changed = true;
    return sha256;
  }

  /** Saves the hashes if one changed: a warm run writes nothing. */
  async save(): Promise<void> {
    if (!this.#changed) return;
    for (const file of this.#entries.keys()) if (!fs.existsSync(file)) this.#entries.delete(file);
    await writeFileAtomically(this.#file, JSON.stringify({ format: FORMAT, files: Object.fromEntries(this.#entries) }));
    this.#changed = false;
  }
}

function describes([size, mtimeMs, ctimeMs, ino]: Entry, stat: fs.Stats): boolean {
  return size === stat.size && mtimeMs === stat.mtimeMs && ctimeMs === stat.ctimeMs && ino === stat.ino;
}

function load(file: string): Map<string, Entry> {
  const data = readJsonFile(file);
  if (typeof data !== 'object' || data === null) return new Map();
  const { format, files } = data as { format?: unknown; files?: Readonly<Record<string, unknown>> };
  if (format !== FORMAT || typeof files !== 'object') return new Map();
  const whole = (entry: [string, unknown]): entry is [string, Entry] =>
    Array.isArray(entry[1]) && entry[1].length === 5;
  return new Map(Object.entries(files).filter(whole));
}
