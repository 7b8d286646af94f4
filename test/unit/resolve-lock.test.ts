// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PipelineFailure, type Failure } from '../../engine/failure.js';
import type { Lock } from '../../stages/artifacts.js';
import { loadCompat } from '../../stages/lib/compat/rows.js';
import { LOCK_FILE } from '../../stages/resolve-versions/inputs.js';
import {
  diffLocks,
  inputsOf,
  inspectLock,
  parseLock,
  renderLock,
  sealLock,
} from '../../stages/resolve-versions/lock.js';

const ROOT = path.join(import.meta.dirname, '../..');
const TEXT = await readFile(path.join(ROOT, LOCK_FILE), 'utf8');
const LOCK = await parseLock(TEXT);

async function lockFailure(text: string): Promise<Extract<Failure, { kind: 'lock' }>> {
  const error: unknown = await parseLock(text).catch((reason: unknown) => reason);
  if (error instanceof PipelineFailure && error.failure.kind === 'lock') return error.failure;
  throw new Error(`not refused: ${String(error)}`);
}

function changed(change: Partial<Lock>): Lock {
  return sealLock({ ...LOCK, ...change });
}

describe('the committed lock', () => {
  test('answers the constraints of pipeline.yaml and the rows of compat/', async () => {
    const config = parse(await readFile(path.join(ROOT, 'pipeline.yaml'), 'utf8')) as {
      readonly supports: Record<string, string>;
      readonly stages: readonly { readonly uses: string; readonly with?: { readonly pythons?: readonly string[] } }[];
    };
    const { jaxlib, iree, python, pythons } = LOCK.from;
    expect({ jaxlib, iree, python }).toEqual(config.supports);
    expect(pythons).toEqual(config.stages.find(({ uses }) => uses === 'resolve-versions')?.with?.pythons);
    expect(LOCK.inputs).toBe(inputsOf(LOCK.from, LOCK, await loadCompat(ROOT)));
  });

  test('is written as it was read, and holds no address', () => {
    expect(renderLock(LOCK)).toBe(TEXT);
    expect(TEXT).not.toMatch(/https?:|www\.|\.org|\.io\b/);
  });
});

describe('a broken lock', () => {
  test.each([
    ['an edited value', (text: string) => text.replace(/jaxlib: 0\.\S+/, 'jaxlib: 0.1.2'), /does not fit its digest/],
    ['an unknown key', (text: string) => `${text}extra: 1\n`, /the file has an unknown key `extra`/],
    ['a missing key', (text: string) => text.replace(/^digest: .*$/m, ''), /must have required property 'digest'/],
    ['no YAML', (text: string) => `${text}: [`, /it is not YAML/],
    ['a conflict', (text: string) => `<<<<<<< HEAD\n${text}\n=======\n`, /it is not YAML|must be object/],
    ['an empty file', () => '', /must be object/],
  ])('%s', async (_, edit, detail) => {
    const failure = await lockFailure(edit(TEXT));
    expect(failure.message).toBe('pipeline.lock.yaml was edited or is broken');
    expect(failure.detail).toMatch(detail);
    expect(failure.help).toContain('npx pipeline resolve');
  });
});

describe('a lock of another version of the pipeline', () => {
  const rest = Object.fromEntries(Object.entries(LOCK).filter(([key]) => key !== 'tracy'));
  const without = sealLock(rest as unknown as Lock);

  test('is not taken for an edited one: it says what it lacks', async () => {
    const held = await inspectLock(renderLock(without));
    expect(held.lock).toBeUndefined();
    expect(held.foreign?.problems).toEqual(["the file must have required property 'tracy'"]);
    expect(diffLocks(held.foreign?.content, LOCK)).toContain(`+ tracy.crate: ${LOCK.tracy.crate}`);
  });

  test('that was edited besides is refused', async () => {
    const text = renderLock(without).replace(/jaxlib: 0\.\S+/, 'jaxlib: 0.1.2');
    await expect(inspectLock(text)).rejects.toThrow('was edited or is broken');
  });
});

describe('differences', () => {
  test('are named by what they are about, without the hashes over everything', () => {
    const other = changed({
      framework: { ...LOCK.framework, jaxlib: '0.9.0' },
      frameworks: LOCK.frameworks.slice(0, 1),
    });
    const lines = diffLocks(LOCK, other);
    expect(lines).toContain(`~ framework.jaxlib: ${LOCK.framework.jaxlib} -> 0.9.0`);
    expect(lines).toContain(`- frameworks.[3.12].jaxlib: ${LOCK.frameworks[1]?.jaxlib ?? ''}`);
    expect(lines.join('\n')).not.toMatch(/digest|inputs/);
    expect(diffLocks(LOCK, LOCK)).toEqual([]);
  });
});

describe('what a lock was resolved from', () => {
  test('changes with a wish and with a row that was used, not with a note or a row that was not', async () => {
    const compat = await loadCompat(ROOT);
    const base = inputsOf(LOCK.from, LOCK, compat);
    const withRows = (edit: (row: (typeof compat.jaxlib)[number]) => (typeof compat.jaxlib)[number]): string =>
      inputsOf(LOCK.from, LOCK, { ...compat, jaxlib: compat.jaxlib.map(edit) });
    const used = LOCK.framework.jaxlib;
    expect(inputsOf({ ...LOCK.from, jaxlib: '>=0.7' }, LOCK, compat)).not.toBe(base);
    expect(withRows((row) => (row.version === used ? { ...row, pjrtApi: '0.1' } : row))).not.toBe(base);
    expect(withRows((row) => ({ ...row, note: 'another' }))).toBe(base);
    expect(withRows((row) => (row.version === '0.6.1' ? { ...row, pjrtApi: '0.1' } : row))).toBe(base);
  });
});
