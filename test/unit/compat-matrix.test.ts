// SPDX-License-Identifier: Apache-2.0
// compat/matrix.yaml: what is recorded of a matrix that was run, and how the file is written.
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PipelineFailure } from '../../engine/failure.js';
import { MATRIX_FILE } from '../../stages/lib/compat/files.js';
import {
  diffMatrices,
  readMatrix,
  recordCells,
  renderMatrix,
  type CompatMatrix,
  type MeasuredCell,
} from '../../stages/lib/compat/matrix.js';
import { suiteSha256 } from '../../stages/lib/testing/suite-sha256.js';

const ROOT = path.join(import.meta.dirname, '../..');

function cell(jaxlib: string, python: string, result: string, more: Partial<MeasuredCell> = {}): MeasuredCell {
  const versions = { device: 'cpu', runtime: '3.11.0', compiler: '3.11.0', jaxlib, jax: jaxlib };
  return { flavour: 'release', wheel: 'plugin-0.1.0.3.11-py3-none-any.whl', ...versions, python, result, ...more };
}

const SUITE = 'a'.repeat(64);
const WITH = { plugin: '0.1.0', suite: SUITE };
const NOTHING: CompatMatrix = { ...WITH, rows: [] };

describe('recording', () => {
  test.each<[string, Partial<MeasuredCell>]>([
    ['a jaxlib', { local: ['jaxlib'] }],
    ['a wheel', { wheel: 'plugin-0.1.0.3.11+head-py3-none-any.whl' }],
  ])('%s of a developer’s own is not recorded', (_, more) => {
    expect(recordCells(NOTHING, WITH, [cell('0.10.2', '3.11', 'works', more)]).rows).toEqual([]);
  });

  test('Pythons of which the same is to be said share a row; rows are ordered by PEP 440', () => {
    const cells = [
      cell('0.10.2', '3.13', 'works'),
      cell('0.10.2', '3.11', 'works'),
      cell('0.9.2', '3.11', 'works'),
      cell('0.10.2', '3.12', 'fails', { reason: 'test_jit failed' }),
    ];
    const { rows } = recordCells(NOTHING, WITH, cells);
    expect(rows.map(({ jaxlib, pythons, result, reason }) => [jaxlib, pythons, result, reason])).toEqual([
      ['0.9.2', ['3.11'], 'works', undefined],
      ['0.10.2', ['3.11', '3.13'], 'works', undefined],
      ['0.10.2', ['3.12'], 'fails', 'test_jit failed'],
    ]);
  });

  test('the order of the cells changes nothing, and recording the same again neither', () => {
    const cells = [cell('0.10.2', '3.11', 'works'), cell('0.9.2', '3.11', 'refused', { reason: 'no' })];
    const once = recordCells(NOTHING, WITH, cells);
    expect(recordCells(NOTHING, WITH, [...cells].reverse())).toEqual(once);
    expect(recordCells(once, WITH, cells)).toEqual(once);
    expect(diffMatrices(once, recordCells(once, WITH, cells))).toEqual([]);
  });

  test('what was not run keeps what is known; what was run replaces it', () => {
    const before = recordCells(NOTHING, WITH, [cell('0.10.2', '3.11', 'works'), cell('0.10.2', '3.13', 'works')]);
    const cells = [cell('0.10.2', '3.11', 'fails', { reason: 'crashed' }), cell('0.10.2', '3.13', 'not-run')];
    const after = recordCells(before, WITH, cells);
    expect(after.rows.map(({ pythons, result }) => [pythons, result])).toEqual([
      [['3.11'], 'fails'],
      [['3.13'], 'works'],
    ]);
    expect(diffMatrices(before, after)).toEqual([
      '~ cpu, IREE 3.11.0, compiler 3.11.0, jaxlib 0.10.2, Python 3.11: works with jax 0.10.2 -> fails with jax 0.10.2 (crashed)',
    ]);
  });

  test('another version of the plugin starts anew', () => {
    const before = recordCells(NOTHING, WITH, [cell('0.10.2', '3.11', 'works')]);
    const after = recordCells(before, { ...WITH, plugin: '0.2.0' }, [cell('0.12.0.1', '3.13', 'works')]);
    expect(after.rows.map(({ jaxlib }) => jaxlib)).toEqual(['0.12.0.1']);
    expect(diffMatrices(before, after).map((line) => line.slice(0, 24))).toEqual([
      '~ plugin: 0.1.0 -> 0.2.0',
      '- cpu, IREE 3.11.0, comp',
      '+ cpu, IREE 3.11.0, comp',
    ]);
  });

  test('another smoke test starts anew: what passed the old one says nothing of it', () => {
    const before = recordCells(NOTHING, WITH, [cell('0.10.2', '3.11', 'works')]);
    const after = recordCells(before, { ...WITH, suite: 'b'.repeat(64) }, [cell('0.12.0.1', '3.13', 'works')]);
    expect(after.rows.map(({ jaxlib }) => jaxlib)).toEqual(['0.12.0.1']);
    expect(diffMatrices(before, after)[0]).toBe(`~ suite: ${SUITE} -> ${'b'.repeat(64)}`);
  });

  test('of a refusal, what is wrong and not what to do about it; jax only where it was installed', () => {
    const reason =
      'a 0.1.0 works with b>=3.11.0, but b 3.9.0 is installed. Install the nearest: pip install "b==3.11.0"';
    const { rows } = recordCells(NOTHING, WITH, [cell('0.5.3', '3.11', 'refused', { reason, jax: '' })]);
    expect(rows[0]).toMatchObject({ reason: 'a 0.1.0 works with b>=3.11.0, but b 3.9.0 is installed' });
    expect(rows[0]).not.toHaveProperty('jax');
  });

  test('of the same versions on two kinds of machine, the worse', () => {
    const cells = [cell('0.10.2', '3.11', 'fails', { reason: 'crashed' }), cell('0.10.2', '3.11', 'works')];
    expect(recordCells(NOTHING, WITH, cells).rows.map(({ result }) => result)).toEqual(['fails']);
  });

  test('only what users install, and only what was run', () => {
    const cells = [
      cell('0.10.2', '3.11', 'works', { flavour: 'asan' }),
      cell('0.10.2', '3.11', 'impossible'),
      cell('0.10.2', '3.11', 'not-run'),
    ];
    expect(recordCells(NOTHING, WITH, cells).rows).toEqual([]);
  });
});

describe('the file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'matrix-'));
    await mkdir(path.join(folder, 'compat'));
    await writeFile(path.join(folder, MATRIX_FILE), await readFile(path.join(ROOT, MATRIX_FILE), 'utf8'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  test('is one that its schema allows, and names no host', async () => {
    await expect(readMatrix(ROOT)).resolves.toMatchObject({ plugin: expect.stringMatching(/^\d/) as string });
    expect(await readFile(path.join(ROOT, MATRIX_FILE), 'utf8')).not.toMatch(/https?:|www\.|\.(org|com|io)\b/);
  });

  test('was measured with the smoke test of today (if not: npx pipeline run matrix, npx pipeline compat record)', async () => {
    const { suite } = await readMatrix(ROOT);
    expect(suite).toBe(await suiteSha256(ROOT));
  });

  test('as it is committed, it is as it would be written', async () => {
    const text = await readFile(path.join(ROOT, MATRIX_FILE), 'utf8');
    expect(await renderMatrix(ROOT, await readMatrix(ROOT))).toBe(text);
  });

  test('is written with its comments, and read back the same', async () => {
    const after = recordCells(await readMatrix(folder), WITH, [
      cell('0.10.2', '3.11', 'works'),
      cell('0.9', '3.11', 'fails', { reason: 'a "reason": with signs' }),
    ]);
    const text = await renderMatrix(folder, after);
    await writeFile(path.join(folder, MATRIX_FILE), text);
    expect(text).toMatch(/^# yaml-language-server/);
    expect(await readMatrix(folder)).toMatchObject(after);
    expect(await renderMatrix(folder, after)).toBe(text);
  });

  test('with a mistake in it is said by name', async () => {
    const text = await readFile(path.join(folder, MATRIX_FILE), 'utf8');
    await writeFile(path.join(folder, MATRIX_FILE), text.replace(/^rows:[^]*/m, 'rows: [{ device: cpu }]\n'));
    const error: unknown = await readMatrix(folder).catch((reason: unknown) => reason);
    expect((error as PipelineFailure).failure).toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^compat\/matrix\.yaml: rows\.0 must have required property/) as string,
    });
  });
});
