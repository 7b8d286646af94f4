// SPDX-License-Identifier: Apache-2.0
import { readFile, stat } from 'node:fs/promises';
import type { Diagnostic } from '../diagnostic.js';
import { fail } from '../failure.js';

/** A text file as read, under the name that people see. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** A hand-written file is never this long; a wrong path may be. */
const MAX_BYTES = 1024 * 1024;

/** Reads a configuration file; everything that can be wrong with it as a file is a failure. */
export async function readSource(path: string, file: string): Promise<SourceText> {
  const found = await stat(path).catch(asError);
  if (found instanceof Error) {
    if (found.code === 'ENOENT' || found.code === 'ENOTDIR') {
      fail({
        kind: 'usage',
        message: `there is no ${file}`,
        help: 'run this in the folder of a checkout or below it, or name the folder with -C FOLDER',
      });
    }
    failAt(file, `cannot be read (${found.code ?? found.message})`, 'check its permissions');
  }
  if (found.isDirectory()) failAt(file, 'is a folder, not a file', 'put the configuration into a file of this name');
  if (!found.isFile()) failAt(file, 'is not a regular file');
  if (found.size > MAX_BYTES) {
    const size = (found.size / MAX_BYTES).toFixed(1);
    failAt(file, `is too large (${size} MiB)`, 'at most 1 MiB: is this the right file?');
  }
  const bytes = await readFile(path).catch(asError);
  if (bytes instanceof Error) failAt(file, `cannot be read (${bytes.code ?? bytes.message})`, 'check its permissions');
  return { file, text: await decode(file, bytes) };
}

function asError(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}

async function decode(file: string, bytes: Buffer): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const { diagnosticAt } = await import('../base/code-frame.js');
    const { line, column, byte } = firstBadByte(bytes);
    const range = { file, line, column, endLine: line, endColumn: column + 1 };
    const message = `not valid UTF-8: byte 0x${byte.toString(16).padStart(2, '0')}`;
    const help = 'save the file as UTF-8';
    throwConfig(file, [diagnosticAt(bytes.toString('utf8'), range, message, help)]);
  }
}

/** Node's decoder does not say where it stopped; a replacement character that the bytes do not hold does. */
function firstBadByte(bytes: Buffer): { line: number; column: number; byte: number } {
  let line = 1;
  for (let start = 0; start <= bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    const text = bytes.toString('utf8', start, end);
    const good = Buffer.from(text);
    if (!good.equals(bytes.subarray(start, end))) {
      let at = 0;
      while (good[at] === bytes[start + at]) at++;
      return { line, column: bytes.toString('utf8', start, start + at).length + 1, byte: bytes[start + at] ?? 0 };
    }
    start = end + 1;
  }
  return { line: 1, column: 1, byte: 0 };
}

function failAt(file: string, message: string, help?: string): never {
  const range = { file, line: 1, column: 1, endLine: 1, endColumn: 1 };
  throwConfig(file, [{ message: `the file ${message}`, range, ...(help === undefined ? {} : { help }) }]);
}

/** More than this at once helps nobody. */
const MAX_SHOWN = 20;

/** Ends with the mistakes of one file. */
export function throwConfig(file: string, diagnostics: readonly Diagnostic[]): never {
  const count = diagnostics.length === 1 ? 'a mistake' : `${diagnostics.length} mistakes`;
  const shown = diagnostics.length > MAX_SHOWN ? `, the first ${MAX_SHOWN} are shown` : '';
  fail({ kind: 'config', message: `${count} in ${file}${shown}`, diagnostics: diagnostics.slice(0, MAX_SHOWN) });
}
