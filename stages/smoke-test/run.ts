// SPDX-License-Identifier: Apache-2.0
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { LockedIree, SmokeArtifact, SmokeRun, Wheel, WheelsArtifact } from '../artifacts.js';
import { pythonTargets, targetsOf, type Target } from '../lib/frameworks.js';
import { hashesOf, usedBuilds } from '../lib/local/builds.js';
import { lockAndIree } from '../lib/locked-iree.js';
import { hostMachine, machineOf } from '../lib/pythons.js';
import { countOf, junitOf, missingDevice } from '../lib/testing/results.js';
import { runSuite } from '../lib/testing/suite.js';
import { installWheel } from '../lib/testing/wheel-env.js';
import { proveReports } from './asan.js';

export interface SmokeOptions {
  readonly pythons: 'all' | 'lowest';
  readonly silenceSeconds: number;
  readonly channel?: string;
}

/** Installs each wheel into a fresh environment per Python and runs the suite in `stages/lib/testing/smoke/` there. */
export async function smokeTest(context: StageContext<SmokeOptions>): Promise<SmokeArtifact> {
  const { iree } = lockAndIree(context);
  const wheels = context.artifact<WheelsArtifact>('pack-wheels');
  const found = await pythonsFor(context);
  const targets = context.options.pythons === 'lowest' ? found.slice(0, 1) : found;
  await mkdir(path.join(context.outDir, 'report'), { recursive: true });
  const runs: SmokeRun[] = [];
  const problems: string[] = [];
  for (const wheel of wheels.value.wheels) {
    for (const target of targets) {
      const { run, failures } = await smokeOne(context, iree, path.join(wheels.dir, wheel.file), wheel, target);
      runs.push(run);
      problems.push(...failures);
    }
  }
  if (problems.length > 0) {
    fail({
      kind: 'test',
      message: `${problems.length} smoke tests failed`,
      detail: problems.join('\n'),
      help: 'see the log of this stage for the whole output of pytest',
    });
  }
  for (const { file } of wheels.value.wheels)
    await copyFile(path.join(wheels.dir, file), path.join(context.outDir, file));
  return { runs };
}

/** For another processor than this machine's there may be no Python; the wheel is then built and not run. */
async function pythonsFor(context: StageContext): Promise<readonly Target[]> {
  const machine = machineOf(context);
  if (machine === hostMachine()) return targetsOf(context);
  const found = await pythonTargets(context, machine);
  if (found.length === 0) context.warn(`built, not run: no Python for ${machine} starts on this machine`);
  return found;
}

async function smokeOne(
  context: StageContext<SmokeOptions>,
  iree: LockedIree,
  file: string,
  wheel: Wheel,
  { python, framework }: Target,
): Promise<{ run: SmokeRun; failures: string[] }> {
  const label = `${context.variant.id}-py${framework.python}`;
  context.progress(`install on Python ${framework.python}, jaxlib ${framework.jaxlib}`);
  const environment = await installWheel(context, {
    folder: path.join(context.tempDir, label),
    wheel: file,
    target: { python, framework },
    requirements: ['pytest'],
  });
  context.progress(`run on Python ${framework.python}, jaxlib ${framework.jaxlib}`);
  const suite = await runSuite(context, { python: environment.python, wheel, label, ...context.options });
  if (suite.problem) {
    fail({
      kind: 'test',
      message: `the smoke test on ${label} ${suite.problem.message}`,
      detail: suite.problem.detail,
      help: 'the log of this stage has the whole output of pytest',
    });
  }
  const notRun = missingDevice(suite);
  const proofs = await proveReports(context, environment.python, wheel, notRun);
  const results = { versions: suite.versions, tests: [...suite.tests, ...proofs] };

  const report = path.join('report', `smoke-${label}`);
  await writeFile(path.join(context.outDir, `${report}.xml`), junitOf(`smoke-${label}`, results));
  await writeFile(
    path.join(context.outDir, `${report}.json`),
    `${JSON.stringify({ wheel: wheel.file, sha256: wheel.sha256, ...results }, null, 2)}\n`,
  );
  const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map((kind) => countOf(results, kind));
  const rest = notRun === undefined ? `${skipped} skipped` : `${skipped} not run (${notRun})`;
  context.log(`${label}: ${passed} passed, ${failed} failed, ${rest}`);
  return {
    run: {
      wheel: wheel.file,
      python: python.version,
      jax: framework.jax,
      jaxlib: framework.jaxlib,
      compiler: iree.compiler.version,
      ...(await hashesOf(await usedBuilds(context))),
      passed: passed ?? 0,
      failed: failed ?? 0,
      skipped: skipped ?? 0,
      ...(notRun === undefined ? {} : { notRun }),
      junit: `${report}.xml`,
      json: `${report}.json`,
    },
    failures: results.tests
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ id, message }) => `${label} ${id}: ${message ?? 'failed'}`),
  };
}
