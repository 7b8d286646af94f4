// SPDX-License-Identifier: Apache-2.0
/** Every variant that is not tested elsewhere: built, packed, smoke-tested, and in the report. */
import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WheelRow, WheelsReport } from '../../stages/artifacts.js';
import { makeCheckout, removeCheckouts, sha256, type Checkout } from '../rigs/checkout.js';
import type { PipelineResult } from '../rigs/pipeline-run.js';
import { userShell } from '../rigs/user-shell.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';

// asan.test.ts and at-head.test.ts have the flavours; cpu-release is there already, and faults.test.ts has built for
// IREE 3.11.
const MADE = ['cpu-release-aarch64', 'cpu-release-iree3.11', 'cuda-release'];
const LIMIT_MS = 30 * 60_000;

let checkout: Checkout;
let result: PipelineResult;
let report: WheelsReport;
beforeAll(async () => {
  checkout = await makeCheckout();
  const choices = ['cpu-release', ...MADE].flatMap((variant) => ['--variant', variant]);
  result = await checkout.run(['run', 'variants', ...choices, '--plain'], { limitMs: LIMIT_MS });
  report = JSON.parse(checkout.read('dist/report/wheels.json')) as WheelsReport;
}, LIMIT_MS);
afterAll(removeCheckouts);

function rowOf(variant: string): WheelRow {
  const row = report.wheels.find((wheel) => wheel.variant === variant);
  if (!row) throw new Error(`${variant} has no row`);
  return row;
}

test('the run ends well, and every variant has its row', async () => {
  expect(result.code, result.output).toBe(0);
  expect(await checkAgainst('wheels-report', report)).toEqual([]);
  expect(report.wheels.map(({ variant }) => variant).sort()).toEqual(['cpu-release', ...MADE].sort());
});

test.each(MADE)('%s: the wheel in dist is the one of the report, whose library exports two symbols', (variant) => {
  const { file, sha256: digest, library } = rowOf(variant);
  expect(sha256(fs.readFileSync(checkout.path('dist', file)))).toBe(digest);
  expect(library.exports).toEqual(['GetPjrtApi', 'IreePjrtServeCompiler', 'XLA_FFI_GetApi']);
});

test('the line of IREE is in the version, a processor in the tag', () => {
  expect(rowOf('cpu-release').file).toMatch(/-[\d.]+\.3\.13-py3/);
  expect(rowOf('cpu-release-iree3.11').file).toMatch(/-[\d.]+\.3\.11-py3/);
  expect(rowOf('cpu-release-aarch64').file).toMatch(/-[\d.]+-py3-none-manylinux_2_28_aarch64\.whl$/);
  expect(rowOf('cuda-release').file).toMatch(/^iree_pjrt_plugin_cuda-[\d.]+-py3/);
  expect(rowOf('cuda-release').size).toBeLessThan(8_000_000);
});

test('what could be run passed; what was not is said', () => {
  for (const variant of ['cpu-release-iree3.11', 'cuda-release']) {
    const { runs } = rowOf(variant);
    expect(runs.length).toBeGreaterThan(0);
    for (const { passed, failed } of runs) {
      expect(passed).toBeGreaterThan(0);
      expect(failed).toBe(0);
    }
  }
  const text = checkout.read('dist/report/wheels.txt');
  if (rowOf('cpu-release-aarch64').runs.length === 0) {
    expect(text).toContain('built, not run');
    expect(result.output).toContain('built, not run: no Python for aarch64');
  }
});

test(
  'with the wheels of both devices installed and no GPU, each other platform goes on working',
  () => {
    const shell = userShell(checkout.root);
    const wheels = ['cpu-release', 'cuda-release'].map((variant) => checkout.path('dist', rowOf(variant).file));
    const python = checkout.path('both', 'bin', 'python');
    // pip itself installs one in wheel.test.ts.
    const uv = checkout.tool('uv');
    shell(`${uv} venv --quiet both && ${uv} pip install --quiet --python ${python} ${wheels.join(' ')}`);
    const sum = (setting: string): string =>
      shell(`${setting} ${python} -c "import jax; print(jax.numpy.add(1, 1), jax.default_backend())"`).trim();
    expect(sum('JAX_PLATFORMS=iree_cpu')).toBe('2 iree_cpu');
    expect(sum('JAX_PLATFORMS=cpu')).toBe('2 cpu');
    // On a machine with a GPU the wheel for GPUs answers.
    expect(sum('')).toMatch(/^2 iree_(cpu|cuda)$/);
  },
  LIMIT_MS,
);
