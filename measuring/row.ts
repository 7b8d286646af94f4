// SPDX-License-Identifier: Apache-2.0
/** Measures rows of compat/ for real; `npx pipeline compat measure KIND VERSION` shows and writes them. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compare } from '@renovatebot/pep440';
import writeFileAtomic from 'write-file-atomic';
import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import type { JsonObject } from '../engine/api.js';
import { fail } from '../engine/failure.js';
import { loadCompat } from '../stages/lib/compat/rows.js';
import { COMPAT_FILES } from '../stages/lib/compat/files.js';
import { measureHeaders } from './headers.js';
import { measureIree } from './iree.js';
import { measureJaxlib } from './jaxlib.js';
import type { MeasureContext, RowKind } from './context.js';
import { checkAgainst } from '../stages/lib/schema/check.js';

export type { MeasureContext, RowKind } from './context.js';
export { measureContext, pipOfTools } from './context.js';
export { measureHeaders, measureIree, measureJaxlib };

export interface Measurement {
  readonly kind: RowKind;
  /** Relative to the root. */
  readonly file: string;
  readonly row: JsonObject;
  /** The row that the file has now. */
  readonly before?: JsonObject;
  /** What writing it would change, a line each; empty if the file says the same. */
  readonly diff: readonly string[];
  /** The file with the row in it. */
  readonly text: string;
}

const FILES: Readonly<Record<RowKind, { readonly file: string; readonly schema: string }>> = {
  jaxlib: { file: COMPAT_FILES.jaxlib, schema: 'compat-jaxlib' },
  iree: { file: COMPAT_FILES.iree, schema: 'compat-iree' },
  'pjrt-headers': { file: COMPAT_FILES.headers, schema: 'compat-pjrt-headers' },
};

export const ROW_KINDS = Object.keys(FILES) as readonly RowKind[];

/** Installs the version, asks it, and puts the answer beside what compat/ says. Writes nothing. */
export async function measureRow(kind: RowKind, version: string, context: MeasureContext): Promise<Measurement> {
  const compat = await loadCompat(context.root);
  const measured = {
    jaxlib: () => measureJaxlib(version, context, compat),
    iree: () => measureIree(version, context, compat),
    'pjrt-headers': () => measureHeaders(version, context, compat),
  };
  const row = { ...(await measured[kind]()) } as unknown as JsonObject;
  const { file, schema } = FILES[kind];
  const text = await readFile(path.join(context.root, file), 'utf8');
  const merged = mergeRow(text, row);
  const problems = await checkAgainst(schema, parseDocument(merged.text).toJS());
  if (problems.length > 0)
    fail({ kind: 'test', message: `the measured row is not a valid one`, detail: problems.join('\n') });
  return { kind, file, row, ...merged };
}

/** Writes the file that `measureRow` prepared. */
export async function writeMeasurement(root: string, measurement: Measurement): Promise<void> {
  await writeFileAtomic(path.join(root, measurement.file), measurement.text);
}

/** The text with `row` in the place of the row of its version, or between its neighbours; comments stay. */
export function mergeRow(text: string, row: JsonObject): Pick<Measurement, 'before' | 'diff' | 'text'> {
  const document = parseDocument(text);
  const rows = document.get('rows');
  if (!isSeq(rows)) throw new Error('a compat file without rows got past its schema');
  const versions = rows.items.map((item) => (isMap(item) ? String(item.get('version')) : ''));
  const version = textOf(row['version']);
  const place = versions.findIndex((other) => compare(other, version) === 0);
  const before = place < 0 ? undefined : (rows.items[place] as { toJSON(): JsonObject }).toJSON();
  const node = document.createNode(
    before?.['note'] === undefined || 'note' in row ? row : { ...row, note: before['note'] },
  );
  const diff = diffRows(version, before, node.toJSON() as JsonObject);
  if (place >= 0) rows.items[place] = node;
  else rows.items.splice(insertionPoint(versions, version), 0, node);
  return { ...(before ? { before } : {}), diff, text: diff.length === 0 ? text : render(document) };
}

function insertionPoint(versions: readonly string[], version: string): number {
  const next = versions.findIndex((other) => compare(other, version) > 0);
  return next < 0 ? versions.length : next;
}

function render(document: Document): string {
  return document.toString({ lineWidth: 0, singleQuote: true });
}

function diffRows(version: string, before: JsonObject | undefined, after: JsonObject): string[] {
  const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  return keys.flatMap((key) => {
    const [was, is] = [before?.[key], after[key]].map((value) =>
      value === undefined ? undefined : JSON.stringify(value),
    );
    if (was === is) return [];
    const name = `${version} ${key}`;
    if (was === undefined) return [`+ ${name}: ${is ?? ''}`];
    return [is === undefined ? `- ${name}: ${was}` : `~ ${name}: ${was} -> ${is}`];
  });
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a row without a version');
  return value;
}
