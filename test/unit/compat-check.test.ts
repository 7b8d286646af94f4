// SPDX-License-Identifier: Apache-2.0
// What is said of an environment, by what was measured and by what the plugin claims.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { judge, nearestSet, type Found, type Installed, type Plugin } from '../../commands/compat/verdict.js';
import type { MatrixRow } from '../../stages/lib/compat/matrix.js';

interface Table {
  readonly rows: readonly Pick<MatrixRow, 'jaxlib' | 'jax' | 'compiler' | 'pythons' | 'result'>[];
  readonly cases: readonly {
    readonly why: string;
    readonly python: string;
    readonly jaxlib?: string;
    readonly compiler?: string;
    readonly nearest: readonly [string, string, string] | null;
  }[];
}

/** The table of cases, to which the wheel's Python is held, too. */
const TABLE = JSON.parse(
  await readFile(path.join(import.meta.dirname, '../../wheel-templates/iree_pjrt_plugin/tests/nearest.json'), 'utf8'),
) as Table;
const ROWS: readonly MatrixRow[] = TABLE.rows.map((row) => ({ device: 'cpu', runtime: '3.11.0', ...row }));

const found = (version: string | undefined): Found =>
  version === undefined ? undefined : /^\d/.test(version) ? { version } : { error: 'broken' };

describe('the nearest set', () => {
  test.each(TABLE.cases)('$why', ({ python, jaxlib, compiler, nearest }) => {
    const set = nearestSet({ python: `${python}.1`, jaxlib: found(jaxlib), compiler: found(compiler) }, ROWS);
    expect(set && [set.jaxlib, set.jax, set.compiler]).toEqual(nearest ?? undefined);
  });
});

const PLUGIN: Plugin = {
  name: 'iree-pjrt-plugin-cpu',
  version: '0.1.0',
  device: 'cpu',
  flavour: 'release',
  runtime: '3.11.0',
  supports: { python: '>=3.11', jaxlib: '>=0.6.1,<0.13', compiler: '>=3.11.0,<3.12' },
};

function installed(more: Partial<Record<'jax' | 'jaxlib' | 'compiler', string>> & { readonly python?: string } = {}) {
  const { python = '3.11.7', jaxlib = '0.10.2', jax = jaxlib, compiler = '3.11.0' } = more;
  return { python, jax: found(jax), jaxlib: found(jaxlib), compiler: found(compiler) } satisfies Installed;
}

const judged = (what: Installed, plugin: Plugin = PLUGIN, rows = ROWS) => judge(what, plugin, rows);

describe('the verdict', () => {
  test('a set that passed the smoke test on this Python works', () => {
    expect(judged(installed())).toEqual({
      verdict: 'works',
      reasons: ['jaxlib 0.10.2 with iree-base-compiler 3.11.0 passed the smoke test on Python 3.11'],
    });
  });

  test('versions are compared by PEP 440, without local labels', () => {
    expect(judged(installed({ jaxlib: '0.10.2.0+cuda', jax: '0.10.2' })).verdict).toBe('works');
    expect(judged(installed(), { ...PLUGIN, version: '0.1.0+asan', flavour: 'asan' }).verdict).toBe('works');
  });

  test('what the plugin does not claim does not work, and each of the reasons is said', () => {
    const { verdict, reasons, nearest } = judged(installed({ jaxlib: '0.5.3', compiler: '3.13.0' }));
    expect(verdict).toBe('fails');
    expect(reasons).toEqual([
      'jax 0.5.3 is installed; iree-pjrt-plugin-cpu 0.1.0 works with jax>=0.6.1,<0.13',
      'jaxlib 0.5.3 is installed; iree-pjrt-plugin-cpu 0.1.0 works with jaxlib>=0.6.1,<0.13',
      'iree-base-compiler 3.13.0 is installed; iree-pjrt-plugin-cpu 0.1.0 works with iree-base-compiler>=3.11.0,<3.12',
    ]);
    expect(nearest).toEqual({ jax: '0.6.2', jaxlib: '0.6.2', compiler: '3.11.0' });
  });

  test('a Python that is too old has no nearest set', () => {
    const judgement = judged(installed({ python: '3.10.2' }));
    expect(judgement.reasons).toEqual([
      'Python 3.10.2 is installed; iree-pjrt-plugin-cpu 0.1.0 works with Python>=3.11',
    ]);
    expect(judgement).not.toHaveProperty('nearest');
  });

  test('what is missing and what is broken', () => {
    const broken = { ...installed(), jaxlib: { error: 'its metadata cannot be read: /x' }, compiler: undefined };
    expect(judged(broken).reasons).toEqual([
      'jaxlib: its metadata cannot be read: /x',
      'iree-base-compiler is not installed; iree-pjrt-plugin-cpu 0.1.0 needs iree-base-compiler>=3.11.0,<3.12',
    ]);
  });

  test('in the claim, and failed when it was run', () => {
    const rows = ROWS.map((row) => (row.jaxlib === '0.11.0' ? { ...row, reason: 'test_jit failed' } : row));
    const judgement = judged(installed({ python: '3.12.1', jaxlib: '0.11.0' }), PLUGIN, rows);
    expect(judgement.verdict).toBe('fails');
    expect(judgement.reasons[0]).toMatch(/0\.11\.0 with .* failed on Python 3\.12: test_jit failed$/);
  });

  test('in the claim, and never run: unknown, with what is near', () => {
    expect(judged(installed({ jaxlib: '0.10.1' }))).toEqual({
      verdict: 'unknown',
      reasons: ['jaxlib 0.10.1 with iree-base-compiler 3.11.0 was not run on Python 3.11'],
      nearest: { jax: '0.10.2', jaxlib: '0.10.2', compiler: '3.11.0' },
    });
    expect(judged(installed({ python: '3.14.0' })).reasons[0]).toMatch(/on Python 3\.14; it works on Python 3\.11$/);
  });

  test('rows of another device or another runtime say nothing', () => {
    expect(judged(installed(), { ...PLUGIN, device: 'cuda' }).verdict).toBe('unknown');
    expect(judged(installed(), { ...PLUGIN, runtime: '3.11.1' }).verdict).toBe('unknown');
  });

  test('another jax than it was run with is not known', () => {
    const { verdict, reasons } = judged(installed({ jax: '0.10.1' }));
    expect(verdict).toBe('unknown');
    expect(reasons).toEqual(['jaxlib 0.10.2 was run with jax 0.10.2, not with jax 0.10.1']);
  });

  test('a compiler that a variable names is taken whatever its version: nothing is known', () => {
    const { verdict, reasons } = judged({ ...installed(), compiler: undefined, compilerLibrary: '/lib.so' });
    expect(verdict).toBe('unknown');
    expect(reasons[0]).toContain('IREE_PJRT_COMPILER_LIB_PATH names /lib.so');
  });
});
