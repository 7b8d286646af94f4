// SPDX-License-Identifier: Apache-2.0
/**
 * The workflow that GitHub would run, run here from its file: each job in a clean clone, every `run:` as it stands.
 * Not GitHub's: its runners (no job of another processor's), the job `checks` (which is `.ci/run` in other words), and
 * the two jobs that sign and upload, of which `if` and permissions are looked at.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Checkout, copyCachedResult, HERE, makeCheckout, removeCheckouts, sha256 } from '../rigs/checkout.js';
import type { MatrixReport } from '../../stages/lib/matrix/report.js';
import { readMatrix } from '../../stages/lib/compat/matrix.js';
import { makeMatrixSmall, type SmallMatrix } from '../rigs/small-matrix.js';
import { IREE } from '../rigs/locked.js';
import { readWorkflow, type WorkflowFile } from '../rigs/workflow/file.js';
import { type JobRun, WorkflowRunner } from '../rigs/workflow/runner.js';

const [WHEELS, MATRIX] = ['wheels', 'matrix'].map((name) =>
  readWorkflow(path.join(HERE, '.github/workflows', `${name}.yml`)),
) as [WorkflowFile, WorkflowFile];
const VARIANT = 'cpu-release';
const MINUTES = 60_000;

let origin: Checkout;
let runs: readonly JobRun[];
let small: SmallMatrix;

const kept = (...parts: readonly string[]): string => origin.path('..', 'ci-runs', 'kept', ...parts);
const wheelsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(folder)
      .filter((name) => name.endsWith('.whl'))
      .map((name) => [name, sha256(fs.readFileSync(path.join(folder, name)))]),
  );

function runner(attempt: string, workflow = WHEELS): WorkflowRunner {
  const folder = origin.path('..', 'ci-runs');
  fs.rmSync(path.join(folder, 'jobs'), { recursive: true, force: true });
  return new WorkflowRunner(workflow, {
    folder,
    origin: origin.root,
    github: { event_name: 'workflow_dispatch', ref: 'refs/heads/main', run_id: attempt },
    inputs: { variants: VARIANT },
  });
}

beforeAll(async () => {
  origin = await makeCheckout({ seed: 'none' });
  origin.delete('node_modules');
  small = makeMatrixSmall(origin, `==${IREE}`);
  const git = (...args: readonly string[]): void => {
    const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
    execFileSync('git', [...who, ...args], { cwd: origin.root, stdio: 'ignore' });
  };
  git('init');
  git('add', '--all');
  git('commit', '--message', 'As it is');
  // `check` has built the library in a clean tree; here a run on main before this one has.
  await copyCachedResult(new Checkout(HERE), `build-native[${VARIANT}]`, kept('caches', `results-build@${VARIANT}-0`));
  runs = await runner('1').run(['report', 'publish']);
}, 30 * MINUTES);

afterAll(async () => {
  fs.rmSync(origin.path('..', 'ci-runs'), { recursive: true, force: true });
  await removeCheckouts();
});

test('every job succeeds, in the order of the plan', () => {
  const failed = runs.filter(({ result }) => result !== 'success');
  expect(failed.map(({ job, row, log }) => `${job} ${row['leg'] ?? ''}\n${log.slice(-4000)}`)).toEqual([]);
  expect(runs.map(({ job, row }) => row['leg'] ?? job)).toEqual([
    'plan',
    'sources',
    `build@${VARIANT}`,
    `test@${VARIANT}`,
    'report',
    `publish@${VARIANT}`,
  ]);
});

test('a leg takes what an earlier run left, and makes the rest', () => {
  const log = runs.find(({ job }) => job === 'build')?.log ?? '';
  expect(log).toMatch(/build-native\[cpu-release\] +\(from the cache\)/);
  expect(log).toMatch(/pack-wheels\[cpu-release\] +[\d.]+ s/);
});

test('the wheels are those that one machine makes, and those that would be uploaded', () => {
  expect(fs.existsSync(path.join(HERE, 'dist')), 'run `node bin/pipeline.mjs run check` first').toBe(true);
  const here = Object.entries(wheelsIn(path.join(HERE, 'dist'))).filter(([name]) => !name.includes('+'));
  const made = wheelsIn(kept('artifacts', 'dist'));
  expect(Object.keys(made)).toHaveLength(1);
  expect(here).toEqual(expect.arrayContaining(Object.entries(made)));
  expect(wheelsIn(kept('artifacts', `upload-publish@${VARIANT}`))).toEqual(made);
});

test('the report of the last leg knows the test run of an earlier one', () => {
  const report = JSON.parse(fs.readFileSync(kept('artifacts', 'dist', 'report', 'wheels.json'), 'utf8')) as {
    readonly wheels: readonly { readonly runs: readonly { readonly passed: number; readonly failed: number }[] }[];
  };
  expect(report.wheels).toHaveLength(1);
  expect(report.wheels[0]?.runs[0]?.passed).toBeGreaterThan(0);
});

test('a later run finds the results of the one before by their keys', async () => {
  const again = await runner('2').run(['build']);
  const log = again.find(({ job }) => job === 'build')?.log ?? '';
  expect(log).toMatch(/build-native\[cpu-release\] +\(from the cache\)/);
  expect(log).toMatch(/pack-wheels\[cpu-release\] +\(from the cache\)/);
});

test('the workflow of the matrix takes the wheel of the other, and measures what compat/ has recorded', async () => {
  fs.rmSync(kept('artifacts'), { recursive: true });
  // Cells that matrix.test.ts has run by now are not run again.
  fs.cpSync(inject('results'), kept('caches', `results-cells@${small.python}-0`), { recursive: true });
  const measured = await runner('3', MATRIX).run(['check']);
  const failed = measured.filter(({ result }) => result !== 'success');
  expect(failed.map(({ job, log }) => `${job}\n${log.slice(-4000)}`)).toEqual([]);
  expect(measured.find(({ job }) => job === 'build')?.log).toMatch(/build-native\[cpu-release\] +\(from the cache\)/);
  const { cells } = JSON.parse(
    fs.readFileSync(kept('artifacts', 'dist', 'matrix', 'matrix.json'), 'utf8'),
  ) as MatrixReport;
  // The small matrix may choose other jaxlibs of those that this Python cannot have: they are not compared.
  const found = cells
    .filter(({ result, kind }) => result !== 'impossible' && kind !== 'no-jaxlib')
    .map(({ jaxlib, result }) => [jaxlib, result]);
  expect(found).toHaveLength(3);
  const { rows } = await readMatrix(HERE);
  const recorded = rows.filter(({ compiler, pythons }) => compiler === IREE && pythons.includes(small.python));
  expect(recorded.map(({ jaxlib, result }) => [jaxlib, result])).toEqual(expect.arrayContaining(found));
});
