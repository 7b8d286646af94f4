// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { MatrixCell, MatrixReport } from '../../stages/lib/matrix/report.js';
import { gridOf, type Grid } from '../../stages/lib/matrix/grid.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';
import { installerSays, pluginSays, versionsIn } from '../../stages/matrix-cell/refusal.js';
import { judge } from '../../stages/matrix-cell/run.js';
import { lineOf, tailOf } from '../../stages/matrix-cell/verdict.js';
import { matrixCheck } from '../../stages/matrix-check/run.js';
import { renderPage } from '../../stages/matrix-report/page.js';
import { renderMarkdown, renderText } from '../../stages/matrix-report/render.js';
import { inputContext } from '../../engine/run/context.js';
import { iree, matrixReport, nameOf, SOURCES, WHEEL, type Outcome } from '../rigs/matrix.js';

const ROOT = path.join(import.meta.dirname, '../..');

function running({ cells }: Grid): string[] {
  return cells.filter(({ runs }) => runs).map((cell) => `${nameOf(cell)}${cell.barrier ? ` ${cell.barrier}` : ''}`);
}

describe('the grid', () => {
  const grid = gridOf(SOURCES);

  test('runs every set that may work, and one of each kind that cannot', () => {
    expect(running(grid)).toEqual([
      '0.5.3 3.11 3.11.0 refused-jaxlib',
      '0.6.1 3.11 3.11.0',
      '0.6.1 3.12 3.11.0 no-jaxlib',
      '0.6.2 3.11 3.11.0',
      '0.6.2 3.12 3.11.0',
      '0.7.1 3.11 3.10.0 compiler-release',
      '0.7.1 3.11 3.11.0',
      '0.7.1 3.11 3.12.0 compiler-release',
      '0.7.1 3.12 3.11.0',
      '0.11.0 3.12 3.11.0',
    ]);
  });

  test('holds the rest as impossible', () => {
    expect(grid.cells).toHaveLength(5 * 2 * 3);
    expect(grid.cells.filter(({ runs, barrier }) => !runs && barrier === undefined)).toEqual([]);
  });

  test('all the rows, if asked', () => {
    const all = gridOf({ ...SOURCES, axes: { ...SOURCES.axes, jaxlib: 'all' } });
    expect(running(all)).toContain('0.7.0 3.11 3.11.0');
  });

  test('a known release outside of the claim is run, and not claimed', () => {
    const narrow = gridOf({ ...SOURCES, supports: { ...SOURCES.supports, jaxlib: '>=0.7' } });
    const cell = narrow.cells.find(({ jaxlib, runs }) => jaxlib === '0.6.2' && runs);
    expect(cell).toMatchObject({ claimed: false });
    expect(cell?.barrier).toBeUndefined();
    expect(grid.cells.find((one) => nameOf(one) === '0.6.2 3.11 3.11.0')?.claimed).toBe(true);
  });

  test('a Python that the wheel is not for', () => {
    const narrow = gridOf({ ...SOURCES, supports: { ...SOURCES.supports, python: '>=3.12' } });
    expect(running(narrow).filter((name) => name.includes(' 3.11 '))).toEqual(['0.5.3 3.11 3.11.0 requires-python']);
  });

  test('a compiler of a later patch of the release may work', () => {
    const compat = { ...SOURCES.compat, iree: [...SOURCES.compat.iree, iree('3.11.1')] };
    expect(running(gridOf({ ...SOURCES, compat }))).toContain('0.7.1 3.11 3.11.1');
  });
});

describe('a cell', () => {
  const places = { tempDir: '/tmp/scratch', root: '/checkout' };
  const cell = { jaxlib: '0.10.2', compiler: '3.11.0', compilerPackage: 'iree-base-compiler' };
  const versions = { jaxlib: '0.10.2', 'iree-base-compiler': '3.11.0', device_missing: '', pjrt_framework: '0.112' };
  const passed = { id: 'test_a.py::test_a', outcome: 'passed', duration: 1 } as const;
  const failed = { id: 'test_b.py::test_b', outcome: 'failed', duration: 1, message: 'no\nway' } as const;

  test('works if all passes, and says what the process reports', () => {
    const verdict = judge(places, cell, { versions, tests: [passed], output: '1 passed\n' });
    expect(verdict).toMatchObject({ result: 'works', passed: 1, versions: { pjrt_framework: '0.112' } });
    expect(verdict.logTail).toEqual(['1 passed']);
    expect(verdict.reason).toBeUndefined();
  });

  test.each([
    [
      'a test fails',
      { versions, tests: [passed, failed] },
      'tests',
      '1 of 2 tests fail, first test_b.py::test_b: no way',
    ],
    [
      'another jaxlib was installed',
      { versions: { ...versions, jaxlib: '0.9.0' }, tests: [passed] },
      'versions',
      'jaxlib 0.10.2 was asked for, the process reports 0.9.0',
    ],
    [
      'pytest ends without a failed test',
      { versions, tests: [passed], problem: { message: 'ended with exit code 139', detail: '' } },
      'crash',
      'the smoke test ended with exit code 139',
    ],
  ])('fails: %s', (_, suite, kind, reason) => {
    expect(judge(places, cell, { ...suite, output: '' })).toMatchObject({ result: 'fails', kind, reason });
  });

  test('is not run without its device', () => {
    const missing = { ...versions, device_missing: 'no GPU: it looked for libcuda.so.1' };
    const verdict = judge(places, cell, { versions: missing, tests: [passed], output: '' });
    expect(verdict).toMatchObject({ result: 'not-run', kind: 'device', reason: 'no GPU: it looked for libcuda.so.1' });
  });

  test('a reason is one line without paths or colours, and not long', () => {
    expect(lineOf(places, '\u001b[31m/tmp/scratch/a\nb  /checkout/c')).toBe('TMP/a b ./c');
    expect(lineOf(places, 'x'.repeat(1000))).toHaveLength(240);
    expect(tailOf(places, 'x\n\n'.repeat(100))).toHaveLength(40);
  });

  test('what pip says', () => {
    const conflict = [
      'ERROR: Cannot install a==1 and jaxlib==0.5.3 because these package versions have conflicting dependencies.',
      'The conflict is caused by:',
      '    The user requested jaxlib==0.5.3',
      '    iree-pjrt-plugin-cpu 0.1.0 depends on jaxlib<0.13 and >=0.6.1',
    ].join('\n');
    expect(installerSays(conflict)).toBe('iree-pjrt-plugin-cpu 0.1.0 depends on jaxlib<0.13 and >=0.6.1');
    const none = 'ERROR: No matching distribution found for jaxlib==0.6.1';
    expect(installerSays(`ERROR: Could not find a version\n${none}\n`)).toBe(none.slice(7));
    const python = "Package 'iree-pjrt-plugin-cpu' requires a different Python: 3.10.0 not in '>=3.11'";
    expect(installerSays(`ERROR: ${python}\n`)).toBe(python);
    expect(installerSays('Would install jaxlib-0.10.2')).toBeUndefined();
  });

  test('what the plugin says', () => {
    const said =
      'plugin 0.1.0 works with jaxlib>=0.6.1, but jaxlib 0.5.3 is installed. Install a supported version with:  pip install "jaxlib>=0.6.1"';
    const stderr = `Traceback\nRuntimeError: Backend 'iree_cpu' failed to initialize: ${said}. Available backends are ['cpu']\n`;
    expect(pluginSays(stderr, { name: 'plugin', version: '0.1.0' })).toBe(said);
    expect(versionsIn('{"jax": "0.5.3"}\n')).toEqual({ jax: '0.5.3' });
    expect(versionsIn('')).toEqual({});
    expect(pluginSays('Segmentation fault', { name: 'plugin', version: '0.1.0' })).toBeUndefined();
  });
});

describe('the report', () => {
  const good = matrixReport();

  test('fits its schema', async () => {
    expect(await checkAgainst('matrix', good)).toEqual([]);
  });

  test('holds each cell with the command that runs it again', () => {
    const ran = good.cells.find((cell) => nameOf(cell) === '0.6.2 3.12 3.11.0');
    expect(ran).toMatchObject({ result: 'works', jax: '0.6.2', runtime: '3.11.0', wheel: 'a.whl', claimed: true });
    expect(ran?.command).toBe(`npx pipeline run matrix --force --only 'matrix-cell[cpu-release-0.6.2-3.12-3.11.0]'`);
    const known = good.cells.find((cell) => nameOf(cell) === '0.11.0 3.11 3.11.0');
    expect(known).toMatchObject({
      result: 'impossible',
      command: '',
      reason: 'there is no jaxlib 0.11.0 for Python 3.11',
    });
  });

  test('as text and Markdown', () => {
    expect(renderText(good)).toBe(
      [
        'cpu-release-x86_64, IREE 3.11, compiler 3.11.0',
        'jaxlib  3.11  3.12',
        '0.11.0     ·     ✓',
        '0.7.1      ✓     ✓',
        '0.6.2      ✓     ✓',
        '0.6.1      ✓     ⊘',
        '0.5.3      ⊘     ·',
        'compiler  3.11  3.12',
        '3.12.0       ⊘     ·',
        '3.10.0       ⊘     ·',
        '✓ 6 works, ⊘ 4 refused, · 20 impossible',
        'simulated on 1 machine: 31 min, 64: 17 min',
        '',
      ].join('\n'),
    );
    const markdown = renderMarkdown(good);
    expect(markdown).toContain('| 0.7.1 | ✓ | ✓ |');
    expect(markdown).toContain('The claim and the results agree.');
    expect(markdown).toContain('| 64 | 17 min |');
    const unsure = { ...good, forecast: { ...good.forecast, unknown: ['build'] } };
    expect(renderMarkdown(unsure)).toMatch(/whose time is unknown: 1\.[^]*\| 64 \| ≥ 17 min \|/);
  });

  test('each Python that was not found is named, with what it left out', async () => {
    const gone = { result: 'not-run', kind: 'python', reason: 'Python 3.12 was not found' } as const;
    const report = matrixReport({ '0.7.1 3.12 3.11.0': gone, '0.6.2 3.12 3.11.0': gone });
    const sentence = 'Python 3.12 was not found: 2 cells were not run';
    expect(renderText(report)).toContain(`\n? ${sentence}\n`);
    expect(renderMarkdown(report)).toContain(`- ${sentence} (`);
    expect(await renderPage(ROOT, report)).toContain(`<li>${sentence} (`);
    for (const text of [renderText(good), renderMarkdown(good), await renderPage(ROOT, good)])
      expect(text).not.toContain('not found');
  });

  test('the page holds every cell and runs no script; what a program wrote is text', async () => {
    const page = await renderPage(ROOT, good);
    expect(page).toContain('popovertarget="cpu-release-0.6.2-3.12-3.11.0"');
    expect(page).toContain('no, &lt;b&gt;never&lt;/b&gt;');
    expect(page).not.toMatch(/<script|https?:|<link/);
    expect(page.match(/role="alert"/g)).toBeNull();
    const bad = await renderPage(
      ROOT,
      matrixReport({ '0.7.1 3.11 3.11.0': { result: 'fails', reason: 'it crashed' } }),
    );
    expect(bad).toContain('is claimed and fails: it crashed');
  });
});

describe('the claim', () => {
  test('agrees', () => {
    expect(matrixReport().disagreements).toEqual([]);
    expect(matrixReport({ '0.7.1 3.11 3.11.0': { result: 'not-run', kind: 'python' } }).disagreements).toEqual([]);
  });

  test.each([
    [
      'a claimed set fails',
      { '0.7.1 3.11 3.11.0': { result: 'fails', reason: 'crash' } },
      /jaxlib 0\.7\.1 on Python 3\.11 .* is claimed and fails: crash/,
    ],
    [
      'a claimed set is refused',
      { '0.6.1 3.11 3.11.0': { result: 'refused', reason: 'no' } },
      /is claimed and refused: no/,
    ],
    [
      'what cannot work is not refused',
      { '0.7.1 3.11 3.12.0': { result: 'fails', kind: 'not-refused', reason: 'pip installs it' } },
      /3\.12\.0 cannot work and is not refused: pip installs it/,
    ],
  ] satisfies [string, Record<string, Outcome>, RegExp][])('disagrees: %s', (_, outcomes, words) => {
    const { disagreements } = matrixReport(outcomes);
    expect(disagreements).toHaveLength(1);
    expect(disagreements[0]).toMatch(words);
  });

  test('disagrees: what is not claimed works', () => {
    const narrow = { ...SOURCES, supports: { ...SOURCES.supports, jaxlib: '>=0.7' } };
    expect(matrixReport({}, narrow).disagreements).toEqual([
      expect.stringMatching(/jaxlib 0\.6\.2 on Python 3\.11 .* works and is not claimed/),
      expect.stringMatching(/jaxlib 0\.6\.2 on Python 3\.12 .* works and is not claimed/),
    ]);
  });

  const check = (value: MatrixReport) => {
    const node = {
      id: 'matrix-check',
      stage: 'matrix-check',
      variant: { id: '', axes: {} },
      definition: {},
      options: {},
      needs: [],
    };
    const upstream = [{ ...WHEEL, stage: 'matrix-report', variant: node.variant, value }];
    const sources = {
      node,
      root: ROOT,
      config: { project: {}, sections: {}, axes: {} },
      settings: {},
      env: {},
      upstream,
    };
    return matrixCheck(inputContext(sources as unknown as Parameters<typeof inputContext>[0]) as never);
  };

  test('the check fails where they disagree, and where nothing was measured', async () => {
    expect(await check(matrixReport())).toEqual({ measured: 6, notRun: 0 });
    const bad = matrixReport({ '0.7.1 3.11 3.11.0': { result: 'fails', reason: 'crash' } });
    expect(() => check(bad)).toThrow('disagree in 1 cells');
    const notRun = (cells: readonly MatrixCell[]) => cells.map((cell) => ({ ...cell, result: 'not-run' as const }));
    expect(() => check({ ...matrixReport(), cells: notRun(matrixReport().cells) })).toThrow('was measured');
  });
});

test('pipeline.yaml asks for the Pythons that versions are resolved for', async () => {
  const { readFile } = await import('node:fs/promises');
  const config = parse(await readFile(path.join(ROOT, 'pipeline.yaml'), 'utf8')) as {
    readonly matrix: { readonly pythons: readonly string[] };
    readonly stages: readonly { readonly uses: string; readonly with?: { readonly pythons?: unknown } }[];
  };
  expect(config.matrix.pythons).toEqual(config.stages.find(({ uses }) => uses === 'resolve-versions')?.with?.pythons);
});
