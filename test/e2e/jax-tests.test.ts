// SPDX-License-Identifier: Apache-2.0
/** `run jax-tests` with a small folder laid out as JAX's: real XLA:CPU, the wheel that `check` made. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';
import { failureIn, ranIn, type PipelineResult } from '../rigs/pipeline-run.js';
import type { Report } from '../../stages/jax-tests/report.js';
import type { Expected } from '../../stages/jax-tests-check/expected.js';
import { releaseOf } from '../../stages/lib/release-of.js';
import { IREE } from '../rigs/locked.js';

const EXPECTED = 'conformance/expected.json';
const TESTS = 'made-up/jax-0.10.2';
const FILE = `${TESTS}/tests/toy_test.py`;
const NODES = ['jax-tests[cpu-release]', 'jax-tests-check[cpu-release]'];

const TOY = `
import os
import time

import jax
from absl.testing import parameterized
from jax import a_name_that_is_gone

OURS = jax.default_backend() != "cpu"


class Toy(parameterized.TestCase):
    @parameterized.parameters(range(4))
    def test_good(self, n):
        self.assertEqual(float(jax.numpy.abs(-n)), n)

    def test_wrong_on_ours(self):
        self.assertFalse(OURS, "f32[3,4] at 0x7f12")

    def test_crash(self):
        if OURS:
            os._exit(7)

    def test_hang(self):
        if OURS:
            time.sleep(1000)

    def test_wrong_everywhere(self):
        self.fail("on XLA:CPU too")

    def test_of_what_is_gone(self):
        a_name_that_is_gone()
`;

/** The test asks for devices as JAX's own files do, which adds none to a platform that is not XLA:CPU. */
const SEVERAL = `
import jax
from absl.testing import absltest
from jax._src import test_util as jtu

jtu.request_cpu_devices(8)


class Several(absltest.TestCase):
    def test_sum(self):
        n = jax.device_count()
        total = jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i")(jax.numpy.arange(n))
        self.assertEqual(total.tolist(), [n * (n - 1) // 2] * n)

    def test_count(self):
        self.assertEqual(jax.device_count(), 3)
`;

let checkout: Checkout;
beforeAll(async () => {
  checkout = await makeCheckout();
  checkout.delete(EXPECTED);
  checkout.replace(
    'pipeline.yaml',
    '    with:\n      requirements:\n        - pytest==8.4.2\n        - pytest-xdist==3.8.0\n        - absl',
    '    with:\n      testTimeoutSeconds: 20\n      requirements:\n        - pytest==8.4.2\n        - pytest-xdist==3.8.0\n        - absl',
  );
  checkout.write(FILE, TOY);
  checkout.write(`${TESTS}/tests/several_test.py`, SEVERAL);
});
afterAll(removeCheckouts);

function run(...more: readonly string[]): Promise<PipelineResult> {
  const chosen = ['--set', 'jax-tests.files=toy_test', '--json'];
  return checkout.run(['run', 'jax-tests', '--jax-tests', TESTS, ...chosen, ...more]);
}

function expectFailure(result: PipelineResult): string {
  expect(result.code, result.output).toBe(10);
  const failure = failureIn(result);
  if (failure.kind !== 'test') throw new Error(`the failure is of kind ${failure.kind}`);
  return `${failure.message}\n${failure.detail}\n${failure.help ?? ''}`;
}

test('what fails on ours alone is found: wrong, crashed, hung; each is put down to its test', async () => {
  const message = expectFailure(await run());
  expect(message).toContain('3 new failures');
  expect(message).toContain('+ Toy::test_crash\n      fails: Crash: the process ended during this test');
  expect(message).toContain('+ Toy::test_hang\n      fails: Time-out: the test took too long and was ended');
  expect(message).toContain('+ Toy::test_wrong_on_ours\n      fails: AssertionError: True is not false : ARRAY at N');
  expect(message).toContain('--update-expected');
  const report = JSON.parse(checkout.read('dist/report/jax-tests-cpu-release.json')) as Report;
  expect(report.totals).toEqual({ reference: 7, passed: 4, failed: 3, skipped: 0, flaky: 0, elsewhere: 0 });
  expect(report.files[0]?.onReference).toEqual({ passed: 7, failed: 2, skipped: 0 });
  expect(checkout.read('dist/report/jax-tests.txt')).toContain('of 7 tests that XLA:CPU passes 4 pass, 3 fail');
  expect(checkout.leftovers()).toEqual([]);
});

test('--update-expected writes them down, and each must be given a reason; no test is run again', async () => {
  const result = await run('--update-expected');
  expect(expectFailure(result)).toContain('3 without a reason');
  expect(ranIn(result)).toEqual(NODES.slice(1));
  const text = checkout.read(EXPECTED);
  expect(text.match(/"unclassified"/g)).toHaveLength(3);
  checkout.write(EXPECTED, text.replaceAll('"unclassified"', '"made up"'));
});

test('with reasons it is well, and the table is shown', async () => {
  const result = await checkout.run([
    ...['run', 'jax-tests', '--jax-tests', TESTS, '--set', 'jax-tests.files=toy_test', '--plain'],
  ]);
  expect(result.code, result.output).toBe(0);
  expect(result.stdout).toMatch(/^toy_test +4 +7 +57\.14% +0% +ok/m);
});

test('one that no longer fails makes the check fail until it is taken out', async () => {
  checkout.write(FILE, TOY.replace('os._exit(7)', 'pass').replace('time.sleep(1000)', 'pass'));
  expect(expectFailure(await run())).toContain('- Toy::test_crash\n      no longer fails; it was expected to: made up');
  const result = await run('--update-expected');
  expect(result.code, result.output).toBe(0);
  const { versions } = JSON.parse(checkout.read(EXPECTED)) as Expected;
  // What is known of one release line of IREE says nothing of the other.
  const known = { [releaseOf(IREE)]: 'made up' };
  expect(versions['0.10.2']?.['toy_test']).toMatchObject({ 'Toy::test_wrong_on_ours': known });
  expect(checkout.read(EXPECTED)).not.toContain('test_crash');
});

test('a file is run on as many devices as it says, on either platform', async () => {
  const result = await checkout.run([
    ...['run', 'jax-tests', '--jax-tests', TESTS, '--json'],
    ...['--set', 'jax-tests.files=several_test@3,several_test'],
  ]);
  expect(result.code, result.output).toBe(0);
  const { files } = JSON.parse(checkout.read('dist/report/jax-tests-cpu-release.json')) as Report;
  const part = files.map(({ file, devices, passed, onReference }) => ({ file, devices, passed, onReference }));
  expect(part).toEqual([
    { file: 'several_test@3', devices: 3, passed: 2, onReference: { passed: 2, failed: 0, skipped: 0 } },
    { file: 'several_test', devices: 1, passed: 1, onReference: { passed: 1, failed: 1, skipped: 0 } },
  ]);
});

test('a wrong folder is said before anything runs', async () => {
  const result = await checkout.run(['run', 'jax-tests', '--jax-tests', 'made-up', '--json']);
  expect(result.code).toBe(2);
  expect(result.output).toContain('made-up has no folder tests/');
});
