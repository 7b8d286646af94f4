// SPDX-License-Identifier: Apache-2.0
/**
 * `npm test`: every suite, one line of totals at the end, non-zero if anything failed. The suites are
 * vitest (unit, contract), one real release with its smoke test, GoogleTest, the packages' pytest
 * and our conformance tests (pipeline `check`), and vitest's e2e tests on what that release made.
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { $ } from 'zx';
import { junitTotals } from '../stages/lib/junit.js';

interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

const root = path.join(import.meta.dirname, '..');
const run = $({ cwd: root, nothrow: true, stdio: ['ignore', 'inherit', 'inherit'] });

async function totalsOf(files: readonly string[]): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  for (const file of files) {
    const { passed, failed, skipped } = junitTotals(await readFile(file, 'utf8'));
    totals.passed += passed;
    totals.failed += failed;
    totals.skipped += skipped;
  }
  return totals;
}

/** A suite that failed without naming a failed test (it did not compile, it crashed) counts as one failure. */
function withExitCode(name: string, totals: Totals, exitCode: number | null): Totals {
  const failed = exitCode !== 0 && totals.failed === 0 ? 1 : totals.failed;
  console.log(`${name}: ${totals.passed} passed, ${failed} failed, ${totals.skipped} skipped\n`);
  return { ...totals, failed };
}

/** Shows what vitest says as it comes, or all of it at its end where something else is being shown. */
async function vitest(projects: readonly string[], shown: 'live' | 'at its end'): Promise<Totals> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pipeline-test-'));
  const report = path.join(folder, 'junit.xml');
  const flags = projects.flatMap((project) => ['--project', project]);
  const stdio = shown === 'live' ? 'inherit' : 'pipe';
  const { exitCode, stdall } = await run({
    stdio: ['ignore', stdio, stdio],
  })`npx vitest run ${flags} --reporter=default --reporter=junit --outputFile.junit=${report}`;
  process.stdout.write(stdall);
  const totals = await totalsOf([report]).catch(() => ({ passed: 0, failed: 0, skipped: 0 }));
  await rm(folder, { recursive: true });
  return withExitCode(`vitest ${projects.join(' and ')}`, totals, exitCode);
}

async function check(): Promise<Totals> {
  const folder = path.join(root, 'dist', 'report');
  // Reports of an earlier run must not count for one that failed before it could write its own;
  // the pipeline publishes them again, run or unchanged.
  await rm(folder, { recursive: true, force: true });
  const shown = run({ stdio: ['ignore', 'pipe', 'pipe'] })`node bin/pipeline.mjs run check`;
  shown.stdout.pipe(process.stdout);
  shown.stderr.pipe(process.stderr);
  const { exitCode, stderr } = await shown;
  if (exitCode !== 0) whyCheckFailed = stderr;
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.xml'));
  const totals = await totalsOf(names.map((name) => path.join(folder, name)));
  return withExitCode('release, GoogleTest, packages, conformance', totals, exitCode);
}

/** Why `check` failed, if it did: the e2e tests need its results, and are then not begun. */
let whyCheckFailed: string | undefined;

// The quick suites wait for timers, and `check` at first for downloads.
const suites = await Promise.all([vitest(['unit', 'contract'], 'at its end'), check()]);
if (whyCheckFailed === undefined) suites.push(await vitest(['e2e'], 'live'));
else console.log(`vitest e2e: not run, since \`pipeline run check\` failed:\n${whyCheckFailed}`);
const sum = (key: keyof Totals) => suites.reduce((total, suite) => total + suite[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
process.exitCode = sum('failed') > 0 ? 1 : 0;
