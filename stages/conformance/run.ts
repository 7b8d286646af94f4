// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { TestReportArtifact, Wheel, WheelsArtifact } from '../artifacts.js';
import { targetsOf } from '../lib/frameworks.js';
import { lockAndIree } from '../lib/locked-iree.js';
import { junitTotals, type JunitTotals } from '../lib/junit.js';
import { ANY_EXIT_CODE, freshShell, installWheel } from '../lib/testing/wheel-env.js';

export interface ConformanceOptions {
  readonly requirements: readonly string[];
  readonly testTimeoutSeconds: number;
  readonly silenceSeconds: number;
  readonly channel?: string;
}

/** Installs the wheel for the lowest Python here and runs the tests in `python/` on it. */
export async function conformance(context: StageContext<ConformanceOptions>): Promise<TestReportArtifact> {
  const { lock, iree } = lockAndIree(context);
  const wheels = context.artifact<WheelsArtifact>('pack-wheels');
  const [target] = await targetsOf(context, lock);
  const [wheel] = wheels.value.wheels;
  if (!wheel) throw new Error('pack-wheels made no wheel');
  context.progress(`install on Python ${target.framework.python}, jaxlib ${target.framework.jaxlib}`);
  const { python } = await installWheel(context, {
    folder: path.join(context.tempDir, 'environment'),
    wheel: path.join(wheels.dir, wheel.file),
    iree,
    target,
    requirements: context.options.requirements,
  });
  const junit = path.join('report', `conformance-${context.variant.id}.xml`);
  const { failures, ...totals } = await runTests(context, python, wheel, path.join(context.outDir, junit));
  context.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  if (failures.length > 0) {
    fail({
      kind: 'test',
      message: `${totals.failed} of our conformance tests failed`,
      detail: failures.join('\n'),
      help: 'the log of this stage has the whole output of pytest',
    });
  }
  return { ...totals, junit };
}

async function runTests(
  context: StageContext<ConformanceOptions>,
  python: string,
  { platform }: Wheel,
  junit: string,
): Promise<JunitTotals> {
  const suite = path.join(context.root, 'stages', 'conformance', 'python');
  const { testTimeoutSeconds, silenceSeconds } = context.options;
  await mkdir(path.dirname(junit), { recursive: true });
  context.progress('run the tests');
  const workers = ['-n', String(context.jobs), '--dist', 'worksteal'];
  // A test that hangs in native code ends with its worker, for which another is started.
  const timeout = [`--timeout=${testTimeoutSeconds}`, '--timeout-method=thread'];
  const report = [`--junitxml=${junit}`, '--durations=10', '-q'];
  const { exitCode } = await context.exec(
    python,
    ['-m', 'pytest', '--rootdir', suite, ...workers, ...timeout, ...report, '--platform', platform, suite],
    {
      cwd: context.tempDir,
      env: {
        ...freshShell(path.join(context.tempDir, 'cache')),
        // Compiled once for all the processes that tests start, and away from the sources.
        PYTHONPYCACHEPREFIX: path.join(context.tempDir, 'pycache'),
      },
      okCodes: ANY_EXIT_CODE,
      silenceMs: silenceSeconds * 1000,
    },
  );
  const totals = junitTotals(await readFile(junit, 'utf8').catch(() => '<testsuites/>'));
  if (exitCode === 0 || totals.failed > 0) return totals;
  return fail({
    kind: 'test',
    message: `pytest ended with exit code ${exitCode} and named no failed test`,
    detail: `${totals.passed} tests had passed`,
    help: 'the log of this stage has its whole output',
  });
}
