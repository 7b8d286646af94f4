// SPDX-License-Identifier: Apache-2.0
/** A wheel whose smoke test fails must not reach dist, and the message must say which test, and by how much. */
import { beforeEach, afterAll, beforeAll, expect, test } from 'vitest';
import { makeCheckout, removeCheckouts, type Checkout, type Snapshot } from '../rigs/checkout.js';
import { failureIn, linesOf, ranIn, type PipelineResult } from '../rigs/pipeline-run.js';

const SUITE = 'stages/lib/testing/smoke';
const NODE = 'smoke-test[cpu-release]';

let checkout: Checkout;
let before: Snapshot;
beforeAll(async () => {
  checkout = await makeCheckout();
  before = checkout.snapshot();
  // The real tests have passed in `check`; here a test fails.
  for (const file of checkout.files(SUITE).filter((name) => /\/test_\w+\.py$/.test(name))) checkout.delete(file);
  checkout.write(`${SUITE}/test_good.py`, 'def test_good(device):\n    assert device.platform == "iree_cpu"\n');
});
afterAll(removeCheckouts);
beforeEach(() => {
  checkout.delete(`${SUITE}/test_planted.py`);
});

function plant(...lines: readonly string[]): Promise<PipelineResult> {
  checkout.write(`${SUITE}/test_planted.py`, `${lines.join('\n')}\n`);
  return checkout.run(['run', 'release', '--json']);
}

function expectRefused(result: PipelineResult): string {
  expect(result.code, result.output).toBe(10);
  expect(ranIn(result)).toEqual([NODE]);
  const failure = failureIn(result);
  if (failure.kind !== 'test') throw new Error(`the failure is of kind ${failure.kind}`);
  expect(checkout.snapshot()).toEqual(before);
  expect(checkout.leftovers()).toEqual([]);
  return `${failure.message}\n${failure.detail}`;
}

test('wrong numbers: the test, the error and the tolerance are named, dist keeps the wheel that works', async () => {
  const result = await plant(
    'import jax.numpy as jnp',
    'import numpy as np',
    'from tolerances import compare',
    '',
    'def test_off_by_a_quarter(device):',
    '    right = np.asarray(jnp.arange(4.0))',
    '    compare("planted program", [right + np.float32(0.25)], [right])',
  );
  const message = expectRefused(result);
  expect(message).toMatch(/^1 smoke test failed|^1 smoke tests failed/);
  expect(message).toContain('cpu-release-py3');
  expect(message).toContain('test_planted.py::test_off_by_a_quarter');
  expect(message).toContain('planted program');
  expect(message).toContain('max abs error 0.25');
  expect(message).toContain('allowed rtol 1e-05, atol 1e-06');
  expect(message).toContain('4 of 4 values are wrong');
  // What pytest wrote is in the log.
  expect(linesOf(result, NODE).join('\n')).toContain('test_off_by_a_quarter');
});

test('for people: the same in plain lines, with the log', async () => {
  checkout.write(`${SUITE}/test_planted.py`, 'def test_says_no():\n    assert 1 + 1 == 3, "planted 2 is not 3"\n');
  const { code, stdout, stderr } = await checkout.run(['run', 'release', '--plain']);
  expect(code).toBe(10);
  expect(stdout).toMatch(/^error: smoke-test\[cpu-release\]: 1 smoke tests? failed$/m);
  expect(stdout).toContain('test_planted.py::test_says_no: AssertionError: planted 2 is not 3');
  const log = /^ {2}log: (\S+)$/m.exec(stdout)?.[1] ?? '';
  expect(checkout.read(log)).toContain('planted 2 is not 3');
  expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at \S+ \(/);
});

test('a crash is put down to the test in which it happened', async () => {
  const message = expectRefused(
    await plant(
      'import os',
      '',
      'def test_ends_the_process(device):',
      '    os.abort()',
      '',
      'def test_after():',
      '    pass',
    ),
  );
  expect(message).toContain('test_planted.py::test_ends_the_process: the process ended during this test');
  expect(message).toMatch(/SIGABRT|signal 6|exit code 134/);
  expect(message).not.toContain('test_after');
  expect(message).not.toContain('test_good');
});

test('a suite that cannot even be read is a failure too', async () => {
  const message = expectRefused(await plant('this is not Python'));
  expect(message).toMatch(/test_planted|exit code 2|named no failed test/);
});

test('mended, the wheel is tested again and released', async () => {
  const result = await checkout.run(['run', 'release', '--json']);
  expect(result.code, result.output).toBe(0);
  expect(ranIn(result)).toEqual([NODE, 'report-wheels']);
  const wheels = (dist: Snapshot['dist']): unknown => Object.entries(dist).filter(([file]) => file.endsWith('.whl'));
  expect(wheels(checkout.snapshot().dist)).toEqual(wheels(before.dist));
  expect(checkout.leftovers()).toEqual([]);
});
