// SPDX-License-Identifier: Apache-2.0
/** `run releases`: tests on both release lines of IREE for real, and what one breaks and mends against the other. */
import { globSync } from 'tinyglobby';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReleasesReport } from '../../stages/compare-releases/report.js';
import { TIMINGS_FILE } from '../../stages/compare-releases/timings.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';
import { makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';

const SUITE = 'stages/conformance/python';
const LINES = ['cpu-release-iree3.11', 'cpu-release'] as const;

const TOY = `
from importlib.metadata import version

import jax
import pytest

NEWER = not version("iree-base-compiler").startswith("3.11.")


def test_good():
    assert float(jax.jit(lambda x: x + 1)(1.0)) == 2.0


def test_mended():
    assert NEWER


def test_broken():
    if NEWER:
        pytest.skip("not on this line")
`;

let checkout: Checkout;
beforeAll(async () => {
  checkout = await makeCheckout();
  for (const file of globSync(`${SUITE}/test_*.py`, { cwd: checkout.root })) checkout.delete(file);
  checkout.delete(TIMINGS_FILE);
  checkout.write(`${SUITE}/test_toy.py`, TOY);
});
afterAll(removeCheckouts);

test('a failure on one line is no obstacle: the report says which tests are broken and which are mended', async () => {
  const result = await checkout.run(['run', 'releases', '--plain']);
  expect(result.code, result.output).toBe(0);
  const report = JSON.parse(checkout.read('dist/report/releases-conformance.json')) as ReleasesReport;
  expect(await checkAgainst('releases-report', report)).toEqual([]);
  expect(report.pairs).toMatchObject([
    {
      before: { variant: LINES[0], iree: '3.11', passed: 2, failed: 1, skipped: 0 },
      after: { variant: LINES[1], iree: '3.13', passed: 2, failed: 0, skipped: 1 },
      broken: [{ test: 'test_toy::test_broken', before: 'passed', after: 'skipped' }],
      mended: [{ test: 'test_toy::test_mended', before: 'failed', after: 'passed' }],
      failing: [],
      timings: null,
    },
  ]);
  expect(result.output).toContain('newly mended: 1');
});

test('the check of the line where it fails names it: 10', async () => {
  const result = await checkout.run(['run', 'check', '--variant', LINES[0], '--only', 'conformance-check']);
  expect(result.code, result.output).toBe(10);
  expect(result.output).toContain('1 of our conformance tests failed');
  expect(result.output).toContain('test_mended');
});

test('one line alone: 2, with what to do', async () => {
  const result = await checkout.run(['run', 'releases', '--variant', LINES[1]]);
  expect(result.code, result.output).toBe(2);
  expect(result.output).toContain('no two release lines of IREE');
});
