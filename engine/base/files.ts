// SPDX-License-Identifier: Apache-2.0
/** Small pieces of file work that several parts of the engine share. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { byCodeUnit } from './canonical-json.js';
import { PipelineFailure, type Failure } from '../failure.js';

export function hasCode(error: unknown, ...codes: readonly string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** The failure of a full disk if `error`, or what caused it, is one. `where`: said when the error names no path. */
export function diskFailure(error: unknown, where: string): Failure | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if (!hasCode(at, 'ENOSPC', 'EDQUOT')) continue;
    // The `path` of a failed copy is the file that was read.
    const place = (at as { readonly dest?: string }).dest ?? at.path ?? where;
    return {
      kind: 'disk',
      message: `No space left on the disk while writing ${place}`,
      help: 'Free some space (the folders `.pipeline/cache` and `.pipeline/out` may be deleted), then run again.',
    };
  }
  return undefined;
}

/** What `error` means to a person, or undefined if it is a bug. */
export function failureOf(error: unknown, where: string): Failure | undefined {
  if (error instanceof PipelineFailure) return error.failure;
  return diskFailure(error, where);
}

export function lstatOrUndefined(file: string): fs.Stats | undefined {
  return fs.lstatSync(file, { throwIfNoEntry: false });
}

export function removeTree(folder: string): Promise<void> {
  return fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Reads a JSON file; undefined if it is missing or not JSON (a file of ours that was damaged counts as missing). */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined;
    throw error;
  }
}

/** Temp file + rename; the reader sees the old file or the new one. */
export async function writeFileAtomically(file: string, data: string): Promise<void> {
  await fs.promises.mkdir(path.dirname(file), { recursive: true });
  const { default: write } = await import('write-file-atomic');
  // Nothing calls fsync: everything written this way can be found out again, and a warm run should not wait for the
  // disk.
  await write(file, data, { fsync: false });
}

const SMALL = 256 * 1024;

/** sha256 of a file's content. Small files are read at one go, which is several times faster than a stream. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  if (fs.statSync(file).size <= SMALL) return hash.update(fs.readFileSync(file)).digest('hex');
  for await (const chunk of fs.createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Lets other work of the process go on between the steps of a long loop of synchronous calls. */
export async function breathe(step: number): Promise<void> {
  if (step % 256 === 255) await yieldToLoop();
}

export interface WalkEntry {
  /** Relative to the walked folder, `/` between parts. */
  readonly path: string;
  readonly stat: fs.Stats;
}

/** Everything below `folder` (links are not followed), parents first, in code-unit order. */
export function walk(folder: string): WalkEntry[] {
  const found: WalkEntry[] = [];
  const visit = (relative: string): void => {
    for (const name of fs.readdirSync(path.join(folder, relative)).sort(byCodeUnit)) {
      const child = relative === '' ? name : `${relative}/${name}`;
      const stat = fs.lstatSync(path.join(folder, child));
      found.push({ path: child, stat });
      if (stat.isDirectory()) visit(child);
    }
  };
  visit('');
  return found;
}
