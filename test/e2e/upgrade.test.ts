// SPDX-License-Identifier: Apache-2.0
/** Upgrades that are tried: what is said of a release, and that nothing of the user's changes. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';
import type { PipelineResult } from '../rigs/pipeline-run.js';

let checkout: Checkout;
let before: readonly string[];
beforeAll(async () => {
  checkout = await makeCheckout({ seed: 'tools' });
  const git = (...args: readonly string[]): void => {
    execFileSync('git', args, { cwd: checkout.root, stdio: 'ignore' });
  };
  git('init');
  git('add', '--all');
  before = files();
});
afterAll(removeCheckouts);

const files = (): string[] =>
  ['pipeline.yaml', 'pipeline.lock.yaml', 'compat/iree.yaml', 'compat/pjrt-headers.yaml'].map((file) =>
    checkout.read(file),
  );
const upgrade = (...args: readonly string[]): Promise<PipelineResult> => checkout.run(['upgrade', ...args]);

test.each(['3.10.0', '3.12.0'])(
  'IREE %s, whose runtime no registry has: 4, with those that are whole',
  async (version) => {
    const result = await upgrade('iree', version);
    expect(result.code, result.output).toBe(4);
    expect(result.output).toMatch(new RegExp(`IREE ${version} has .* no registry holds the sources of its runtime`));
    expect(result.output).toContain('releases that have both: 3.1.0, 3.3.0, 3.11.0, 3.13.0');
    expect(files()).toEqual(before);
  },
);

test('a newer header: its functions, what grew, and why the lock stays', async () => {
  const result = await upgrade('pjrt', '2.22.0.dev20260905');
  expect(result.code, result.output).toBe(0);
  expect(result.stdout).toContain('PJRT C API 0.114');
  expect(result.stdout).toContain('  + PJRT_Device_GetAttributes');
  expect(result.stdout).toMatch(/PJRT_ExecuteOptions: .*multi_slice_config/);
  expect(result.stdout).toContain('the lock stays with');
  expect(files()).toEqual(before);
});

test('a release that there is not: 4, with those that there are', async () => {
  const result = await upgrade('iree', '99.0.0');
  expect(result.code, result.output).toBe(4);
  expect(result.output).toContain('the registry has no iree-base-compiler 99.0.0');
  expect(result.output).toMatch(/it has .*3\.13\.0/);
  expect(files()).toEqual(before);
});

test.each([
  [['llvm'], "'llvm' is nothing that can be upgraded"],
  [['pjrt'], 'which version of pjrt?'],
  [['iree', '../../etc'], "'../../etc' is no version"],
  [['iree', '3.14.0', '--apply'], 'this upgrade has not been tried yet'],
])('%j is refused: 2', async (args, message) => {
  const result = await upgrade(...args);
  expect(result.code, result.output).toBe(2);
  expect(result.output).toContain(message);
});
