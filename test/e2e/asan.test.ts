// SPDX-License-Identifier: Apache-2.0
/** The flavour asan: a wheel whose smoke test ran under AddressSanitizer, which reports what is planted. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCheckout, removeCheckouts, type Checkout, type Snapshot } from '../rigs/checkout.js';
import { failureIn, linesOf, type PipelineResult } from '../rigs/pipeline-run.js';
import { readWheel, textOf } from '../rigs/wheel-file.js';

const ASAN = ['run', 'release', '--variant', 'cpu-asan', '--json'];

let checkout: Checkout;
let before: Snapshot;
let result: PipelineResult;
beforeAll(async () => {
  checkout = await makeCheckout();
  before = checkout.snapshot();
});
afterAll(removeCheckouts);

test('without a compiler that has the runtime it says how to get one; other flavours need none', async () => {
  for (const compiler of ['g++', 'clang++']) {
    checkout.write(`scratch/${compiler}`, '#!/bin/sh\nexit 1\n');
    fs.chmodSync(checkout.path('scratch', compiler), 0o755);
  }
  const env = { PATH: `${checkout.path('scratch')}:${process.env['PATH'] ?? ''}` };
  const failure = failureIn(await checkout.run(ASAN, { env }));
  if (failure.kind !== 'tool-missing') throw new Error(`the failure is of kind ${failure.kind}`);
  expect(failure.message).toBe("'build-native[cpu-asan]' needs ASAN compiler (not found)");
  expect(failure.help).toContain('install gcc with libasan, or clang with its compiler-rt');
  const release = await checkout.run(['run', 'release', '--json'], { env });
  expect(release.code, release.output).toBe(0);
});

test('is built by the system compiler, and passes the smoke test with no report', async () => {
  result = await checkout.run(ASAN);
  expect(result.code, result.output).toBe(0);
  expect(linesOf(result, 'pack-wheels[cpu-asan]').join('\n')).toContain(
    'is for the machine that built it: neither maxBytes nor manylinux are asked of it',
  );
});

test('its planted bugs were reported, each with its line, and without the launcher there was a message', () => {
  const reports = path.join(checkout.resultFiles('smoke-test@cpu-asan'), 'report');
  const files = fs.readdirSync(reports).filter((name) => name.endsWith('.json'));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const { tests } = JSON.parse(fs.readFileSync(path.join(reports, file), 'utf8')) as {
      readonly tests: readonly { readonly id: string; readonly outcome: string }[];
    };
    const outcomes = Object.fromEntries(tests.map(({ id, outcome }) => [id, outcome]));
    expect(outcomes).toMatchObject({
      'planted::heap-overflow': 'passed',
      'planted::use-after-free': 'passed',
      'planted::leak': 'passed',
      'planted::shift': 'passed',
      'planted::compiled-code': 'passed',
      without_launcher: 'passed',
      'test_programs.py::test_mlp_training_step': 'passed',
    });
  }
});

test('its wheel is told apart from the release, which stays as it was', async () => {
  const wheels = checkout.files('dist').filter((name) => name.endsWith('.whl'));
  const [asan = ''] = wheels.filter((name) => /\+asan-py3-none-linux_x86_64\.whl$/.test(name));
  const [release = ''] = wheels.filter((name) => name !== asan);
  expect(checkout.snapshot().dist[release]).toBe(before.dist[release]);
  const [made, usual] = await Promise.all([asan, release].map((name) => readWheel(checkout.path(name))));
  if (!made || !usual) throw new Error(`there are ${wheels.join(', ')}`);
  expect(textOf(made, `${made.distInfo}/entry_points.txt`)).toContain(
    'iree-pjrt-asan = jax_plugins.iree_cpu.tools._asan:main',
  );
  expect(textOf(made, `${made.distInfo}/METADATA`)).toContain('Classifier: Private :: Do Not Upload');
  expect(textOf(usual, `${usual.distInfo}/entry_points.txt`)).not.toContain('asan');
  expect(JSON.stringify([...usual.members.keys()])).not.toMatch(/_asan|leaks\.supp|planted/);
  expect(JSON.stringify([...made.members.keys()])).not.toMatch(/planted/);
});

test('a flavour is not published', async () => {
  const refused = await checkout.run(['run', 'publish', '--variant', 'cpu-asan', '--plain']);
  expect(refused.code, refused.output).toBe(2);
  expect(refused.output).toContain("has the local label 'asan'");
});
