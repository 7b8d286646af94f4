// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import stableStringify from 'json-stable-stringify';
import writeFileAtomic from 'write-file-atomic';
import { parse, stringify } from 'yaml';
import { fail } from '../../engine/failure.js';
import type { Lock, LockOrigin } from '../artifacts.js';
import { sha256 } from '../lib/hash.js';
import type { Compat } from '../lib/compat/rows.js';
import { LOCK_FILE } from './inputs.js';
import { checkAgainst } from '../lib/schema/check.js';

const HEADER = `# Written by npx pipeline resolve; commit it, do not edit it. \`npx pipeline resolve --update\` renews it.
# What each key means: schemas/lock.schema.json.
`;

/** A lock before its digest is taken. */
export type LockContent = Omit<Lock, 'digest'>;

export function sealLock(content: LockContent): Lock {
  return { ...content, digest: digestOf(content) };
}

function digestOf(content: LockContent): string {
  return sha256(stableStringify({ ...content, digest: undefined }) ?? '');
}

/** sha256 over the wishes, and over the compat rows of what was chosen: if one of them changes, so may the choice. */
export function inputsOf(
  origin: LockOrigin,
  chosen: Omit<LockContent, 'inputs' | 'from' | 'lockVersion'>,
  compat: Compat,
): string {
  const { frameworks, iree, pjrtHeaders } = chosen;
  const rows = {
    jaxlib: compat.jaxlib.filter(({ version }) => frameworks.some(({ jaxlib }) => jaxlib === version)),
    iree: compat.iree.filter(({ version }) => iree.some(({ runtime }) => runtime.version === version)),
    headers: compat.headers.rows.filter(
      (row) => row.package === pjrtHeaders.package && row.version === pjrtHeaders.version,
    ),
    members: compat.headers.members,
    traps: compat.headers.traps.filter(({ answer }) => answer === 'avoid'),
    cudaHeaders: compat.cudaHeaders,
    tracy: compat.tracy,
    googletest: compat.googletest,
    ducc: compat.ducc,
  };
  const text = stableStringify(
    { origin: { ...origin, wished: origin.pythons }, rows },
    { replacer: (key, value) => (ASIDE.has(String(key)) ? undefined : value) },
  );
  return sha256(text ?? '');
}

/** Columns that decide nothing: correcting one renews no lock. */
const ASIDE: ReadonlySet<string> = new Set(['note', 'pythons', 'jaxCommit', 'source']);

export function renderLock(lock: Lock): string {
  return HEADER + stringify(lock, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** What lies in the lock's place: nothing, a lock, or one that nobody edited but that lacks keys of today. */
export interface HeldLock {
  readonly lock?: Lock;
  /** Written by another version of the pipeline. */
  readonly foreign?: { readonly content: Partial<Lock>; readonly problems: readonly string[] };
}

/** Fails with kind `lock` if it is not as a pipeline wrote it. */
export async function readLock(file: string): Promise<HeldLock> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  return inspectLock(text);
}

/** A lock of this version of the pipeline. */
export async function parseLock(text: string): Promise<Lock> {
  const { lock, foreign } = await inspectLock(text);
  return lock ?? broken(foreign?.problems.join('\n') ?? '');
}

export async function inspectLock(text: string): Promise<HeldLock> {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    return broken(`it is not YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`);
  }
  const problems = await checkAgainst('lock', value);
  const content = (typeof value === 'object' && value !== null ? value : {}) as Lock;
  const found = digestOf(content);
  const asWritten = found === content.digest;
  if (problems.length > 0) return asWritten ? { foreign: { content, problems } } : broken(problems.join('\n'));
  return asWritten
    ? { lock: content }
    : broken(`its content does not fit its digest\nwanted ${content.digest}\nfound  ${found}`);
}

function broken(detail: string): never {
  return fail({
    kind: 'lock',
    message: `${LOCK_FILE} was edited or is broken`,
    detail,
    help: `restore it with \`git checkout ${LOCK_FILE}\`, or delete it and run \`npx pipeline resolve\``,
  });
}

export async function writeLock(file: string, lock: Lock): Promise<void> {
  await writeFileAtomic(file, renderLock(lock));
}

/** What differs between two locks, a line each, in the words of the file; empty if both hold the same versions. */
export function diffLocks(before: Partial<Lock> | undefined, after: Lock): string[] {
  const [old, now] = [leaves(before ?? {}), leaves(after)];
  const derived = new Set(['digest', 'inputs', 'lockVersion']);
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    if (was === is || derived.has(key)) return [];
    if (was === undefined) return [`+ ${key}: ${is}`];
    return is === undefined ? [`- ${key}: ${was}`] : [`~ ${key}: ${was} -> ${is}`];
  });
}

/** Leaves by path; entries of a list by what they are about rather than by their place. */
function leaves(value: unknown, at = '', found = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) return found.set(at, String(value));
  for (const [key, part] of Object.entries(value)) {
    const name = Array.isArray(value) ? labelOf(part, key) : key;
    leaves(part, at === '' ? name : `${at}.${name}`, found);
  }
  return found;
}

function labelOf(entry: unknown, index: string): string {
  if (typeof entry !== 'object' || entry === null) return index;
  const { python, path, line } = entry as Readonly<Record<string, unknown>>;
  const label = [python, path, line].find((name) => typeof name === 'string');
  return label === undefined ? index : `[${label}]`;
}
