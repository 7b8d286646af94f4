// SPDX-License-Identifier: Apache-2.0
/** The matrix for real, made small: the oldest and the newest jaxlib of one Python, and sets that must be refused. */
import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MatrixCell, MatrixReport } from '../../stages/lib/matrix/report.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';
import { openFile } from '../rigs/browser.js';
import { handOver, makeCheckout, removeCheckouts, sha256, type Checkout } from '../rigs/checkout.js';
import { IREE } from '../rigs/locked.js';
import { makeMatrixSmall } from '../rigs/small-matrix.js';
import { ranIn, type PipelineResult, type RunOptions } from '../rigs/pipeline-run.js';

const SUITE = 'stages/lib/testing/smoke';
const KEPT = 'test_devices.py';

let checkout: Checkout;
let python: string;
let oldest: string;
let newest: string;
/** A cache of its own, for the same reason. */
const OWN = 'own';
const runMatrix = (flag: '--json' | '--plain', options: RunOptions = {}): Promise<PipelineResult> =>
  checkout.run(['run', 'matrix', flag], { ...options, env: { PIPELINE_CACHE_DIR: checkout.path('.pipeline', OWN) } });
const cells = (names: readonly string[]): string[] => names.filter((name) => name.startsWith('matrix-cell'));

beforeAll(async () => {
  checkout = await makeCheckout();
  // Without the results of this working tree's matrix, there is a run to kill.
  for (const node of checkout.nodesWithResults().filter((name) => name.startsWith('matrix-')))
    checkout.delete(`.pipeline/out/${node}`);
  ({ python, oldest, newest } = makeMatrixSmall(checkout, '>=3.12'));
});
afterAll(removeCheckouts);

const report = (): MatrixReport => JSON.parse(checkout.read('dist/matrix/matrix.json')) as MatrixReport;
const cellOf = (jaxlib: string, compiler: string): MatrixCell | undefined =>
  report().cells.find((cell) => cell.jaxlib === jaxlib && cell.compiler === compiler);

test('a run that is killed in the middle goes on where it stopped', async () => {
  const killed = await runMatrix('--json', {
    signalWhen: {
      signal: 'SIGKILL',
      event: (event) => event.type === 'node-finished' && event.node.startsWith('matrix-cell'),
    },
  });
  expect(killed.code).toBe(137);
  const done = killed.events.flatMap((event) => (event.type === 'node-finished' ? [event.node] : []));
  expect(cells(done).length).toBeGreaterThan(0);
  const result = await runMatrix('--json');
  expect(result.code, result.output).toBe(0);
  expect(cells(ranIn(result)).filter((name) => done.includes(name))).toEqual([]);
  expect(cells(ranIn(result)).length).toBeGreaterThan(0);
  expect(checkout.leftovers()).toEqual([]);
  // Of the killed run nothing may be in the cache.
  for (const cell of cells(ranIn(result))) await handOver(checkout, cell, OWN);
});

test('the same wheel file works with the oldest and the newest jaxlib, which report themselves', () => {
  for (const jaxlib of [oldest, newest]) {
    const cell = cellOf(jaxlib, IREE);
    expect(cell, jaxlib).toMatchObject({ result: 'works', claimed: true, python, failed: 0 });
    expect(cell?.versions).toMatchObject({ jaxlib, 'iree-base-compiler': IREE });
    expect(cell?.versions['pjrt_framework']).toMatch(/^0\.\d+$/);
    expect(cell?.passed).toBeGreaterThan(20);
    const wheel = checkout.files('.pipeline/out').find((file) => file.endsWith(`/${cell?.wheel ?? ''}`));
    expect(cell?.sha256).toBe(sha256(fs.readFileSync(checkout.path(wheel ?? ''))));
  }
});

test('what cannot work is refused, and said why', () => {
  const older = cellOf('0.5.3', IREE);
  expect(older).toMatchObject({ result: 'refused', kind: 'refused-jaxlib', claimed: false });
  expect(older?.reason).toMatch(/works with jaxlib>=0\.6\.1,<0\.13, but jaxlib 0\.5\.3 is installed/);
  expect(older?.jax).toBe('0.5.3');
  const compiler = cellOf(newest, '3.12.0');
  expect(compiler).toMatchObject({ result: 'refused', kind: 'compiler-release', claimed: false });
  expect(compiler?.reason).toContain('but iree-base-compiler 3.12.0 is installed');
});

test('is published, with a log for each cell, and the page opens a cell', async () => {
  expect(await checkAgainst('matrix', report())).toEqual([]);
  expect(report().disagreements).toEqual([]);
  expect(checkout.read('dist/matrix/matrix.md')).toContain('The claim and the results agree.');
  const logs = checkout.files('.pipeline/logs').filter((file) => file.includes('matrix-cell'));
  expect(new Set(logs.map((file) => file.split('/').at(-1))).size).toBeGreaterThanOrEqual(4);
  const page = await openFile(checkout.path('dist/matrix/matrix.html'), { width: 390, height: 844, scheme: 'light' });
  const { id = '', command = '' } = cellOf(newest, IREE) ?? {};
  await page.locator(`[popovertarget="${id}"]`).first().click();
  expect(await page.locator(`[id="${id}"] .command`).textContent()).toBe(command);
  await page.context().browser()?.close();
});

test('run again runs no cell', async () => {
  const again = await runMatrix('--json');
  expect(again.code, again.output).toBe(0);
  // The report's forecast holds how long `find-pythons` took, which is another time now and then: it may be made again.
  expect(ranIn(again).filter((node) => !/^matrix-(report|check)$/.test(node))).toEqual([`find-pythons[${python}]`]);
});

test('a claim that leaves out what works fails the check, with the report in place', async () => {
  checkout.replace('pipeline.yaml', "jaxlib: '>=0.6.1,<0.13'", `jaxlib: '>${oldest},<0.13'`);
  // It is another wheel now, so each cell is run again; a few tests will do.
  for (const file of checkout.files(SUITE).filter((name) => /test_\w+\.py$/.test(name) && !name.endsWith(KEPT)))
    checkout.delete(file);
  const result = await runMatrix('--plain');
  expect(result.code, result.output).toBe(10);
  expect(result.output).toContain(
    'error: matrix-check: what the wheels claim and what was measured disagree in 1 cells',
  );
  expect(result.output).toContain(
    `jaxlib ${oldest} on Python ${python} with iree-base-compiler ${IREE} works and is not claimed`,
  );
  expect(report().disagreements).toHaveLength(1);
  expect(cellOf(oldest, IREE)).toMatchObject({ result: 'works', claimed: false });
});
