// SPDX-License-Identifier: Apache-2.0
/** Passes left out, one after the other: one that a test needs, one that none needs, one that does not exist. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Report } from '../../stages/obsolete-rewrites/report.js';
import { makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';

const SELECT = ['--set', 'obsolete-rewrites.select=test_gather_of_rows'];

let checkout: Checkout;
beforeAll(async () => {
  checkout = await makeCheckout();
});
afterAll(removeCheckouts);

test('a gather needs its indices clamped, and no sort that is stable', async () => {
  const passes = ['--set', 'obsolete-rewrites.passes=ClampGathers,KeepInputs,StabilizeSorts'];
  const result = await checkout.run(['run', 'obsolete-rewrites', ...SELECT, ...passes, '--plain']);
  expect(result.code, result.output).toBe(0);
  const report = JSON.parse(checkout.read('dist/report/obsolete-rewrites-cpu-release.json')) as Report;
  const found = Object.fromEntries(report.rows.map(({ name, verdict, failure }) => [name, [verdict, failure]]));
  expect(found).toMatchObject({
    ClampGathers: ['needed', 'test_gather_of_rows'],
    StabilizeSorts: ['untested', undefined],
  });
  expect(report.rows.map(({ name }) => name)).toEqual(['ClampGathers', 'KeepInputs', 'StabilizeSorts']);
  const shown = checkout.read('dist/report/obsolete-rewrites.txt');
  expect(result.output).toContain(shown.trim());
  expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('a pass that the plugin has not is named: 2', async () => {
  const result = await checkout.run(['run', 'obsolete-rewrites', '--set', 'obsolete-rewrites.passes=ClampGather']);
  expect(result.code, result.output).toBe(2);
  expect(result.output).toContain('the plugin has no pass ClampGather');
});

test('a selection without a test: 10, not a report that says nothing is needed', async () => {
  const result = await checkout.run(['run', 'obsolete-rewrites', '--set', 'obsolete-rewrites.select=no_such_test']);
  expect(result.code, result.output).toBe(10);
  expect(result.output).toContain('no pass changed a program of a test');
});
