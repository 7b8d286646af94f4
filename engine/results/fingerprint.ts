// SPDX-License-Identifier: Apache-2.0
/**
 * The only place that builds cache keys. A key is the sha256 of the canonical JSON of one
 * record; everything that can change an output is a field of it. The record is kept beside
 * each result, so that two of them can be compared field by field.
 */
import path from 'node:path';
import type { JsonObject, StageDefinition, StageInputs, Variant } from '../api.js';
import type { FileHashes } from '../cache/file-hashes.js';
import { byCodeUnit, canonicalJson, sha256 } from '../base/canonical-json.js';
import type { StageCode } from './stage-code.js';

/** Raised when the meaning of the record or the shape of stored results changes: no older result is then found. */
export const FORMAT_VERSION = 1;

export interface FingerprintRecord {
  readonly format: number;
  /** Name of the stage definition (`uses:`). */
  readonly uses: string;
  /** The definition's own version number. */
  readonly version: number;
  /** The stage's own source files: path → sha256. */
  readonly code: Readonly<Record<string, string>>;
  readonly options: unknown;
  /** Values of the axes that the stage uses, those of its own points among them. */
  readonly variant: Readonly<Record<string, string>>;
  /** Input files: path relative to the root → sha256, `missing` if there is none. */
  readonly files: Readonly<Record<string, string>>;
  readonly values: JsonObject;
  /** Node id → digest of its artifact (not its key: an equal result of a changed stage changes nothing here). */
  readonly upstream: Readonly<Record<string, string>>;
  /** Tools with `inKey`: name → version. */
  readonly tools: Readonly<Record<string, string>>;
  /** Variables of the definition's allow-list; null if unset. */
  readonly env: Readonly<Record<string, string | null>>;
}

export interface Fingerprint {
  readonly record: FingerprintRecord;
  readonly key: string;
}

export interface FingerprintSources {
  readonly root: string;
  readonly definition: StageDefinition;
  readonly options: unknown;
  /** The node's variant: it has only the axes that the stage uses. */
  readonly variant: Variant;
  readonly inputs: StageInputs;
  readonly upstream: ReadonlyMap<string, string>;
  readonly tools: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly code: StageCode;
  readonly hashes: FileHashes;
}

export async function takeFingerprint(from: FingerprintSources): Promise<Fingerprint> {
  const { definition } = from;
  const record: FingerprintRecord = {
    format: FORMAT_VERSION,
    uses: definition.name,
    version: definition.version,
    code: await hashAll(from.code.root, from.code.files(definition), from.hashes),
    options: from.options ?? null,
    variant: from.variant.axes,
    files: await hashAll(from.root, from.inputs.files ?? [], from.hashes),
    values: from.inputs.values ?? {},
    upstream: Object.fromEntries(from.upstream),
    tools: Object.fromEntries(from.tools),
    env: Object.fromEntries((definition.env ?? []).map((name) => [name, from.env[name] ?? null])),
  };
  return { record, key: keyOf(record) };
}

export function keyOf(record: FingerprintRecord): string {
  return sha256(canonicalJson(record));
}

async function hashAll(root: string, files: readonly string[], hashes: FileHashes): Promise<Record<string, string>> {
  const sorted = [...new Set(files)].sort(byCodeUnit);
  const prefix = root + path.sep;
  const found: Record<string, string> = {};
  for (const file of sorted) {
    const inside = file.startsWith(prefix) ? file.slice(prefix.length) : path.relative(root, file);
    const hash = hashes.of(file);
    found[path.sep === '/' ? inside : inside.replaceAll(path.sep, '/')] =
      (typeof hash === 'object' ? await hash : hash) ?? 'missing';
  }
  return found;
}

/** What differs between two records, in words; empty if nothing does. `before` undefined: there is no earlier result. */
export function diffRecords(before: FingerprintRecord | undefined, after: FingerprintRecord): string[] {
  if (before === undefined) return ['there is no earlier result'];
  const changes: string[] = [];
  if (before.format !== after.format) changes.push(`cache format changed from ${before.format} to ${after.format}`);
  if (before.uses !== after.uses) changes.push(`stage definition changed from ${before.uses} to ${after.uses}`);
  if (before.version !== after.version)
    changes.push(`version of the stage ${after.uses} changed from ${before.version} to ${after.version}`);
  changes.push(
    ...diffMaps('stage source', before.code, after.code, false),
    ...diffValues('option', before.options, after.options),
    ...diffMaps('axis', before.variant, after.variant, true),
    ...diffMaps('file', before.files, after.files, false),
    ...diffValues('value', before.values, after.values),
    ...diffMaps('result of', before.upstream, after.upstream, false),
    ...diffMaps('tool', before.tools, after.tools, true),
    ...diffMaps('environment variable', before.env, after.env, true),
  );
  return changes;
}

type Flat = Readonly<Record<string, string | null>>;

function diffMaps(what: string, before: Flat, after: Flat, showValues: boolean): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(byCodeUnit);
  return names.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (old === now) return [];
    if (old === undefined || old === 'missing') return [`${what} ${name} added`];
    if (now === undefined || now === 'missing') return [`${what} ${name} removed`];
    return [`${what} ${name} changed${showValues ? ` from ${old ?? '(unset)'} to ${now ?? '(unset)'}` : ''}`];
  });
}

const SHORT = 60;

/** Differences of two JSON values, each by its path (`with.flags[2]`). */
function diffValues(what: string, before: unknown, after: unknown, at = ''): string[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
    const [old, now] = [before as Readonly<Record<string, unknown>>, after as Readonly<Record<string, unknown>>];
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort(byCodeUnit);
    const child = (name: string): string =>
      Array.isArray(after) ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`;
    return names.flatMap((name) => diffValues(what, old[name], now[name], child(name)));
  }
  if (before === undefined) return [`${what} ${at} added: ${shown(after)}`];
  if (after === undefined) return [`${what} ${at} removed`];
  return [`${what} ${at} changed from ${shown(before)} to ${shown(after)}`.replace('  ', ' ')];
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  const text = canonicalJson(value);
  return text.length <= SHORT ? text : `${text.slice(0, SHORT - 1)}…`;
}
