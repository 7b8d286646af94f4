// SPDX-License-Identifier: Apache-2.0
import { cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { JaxArtifact, PackagesArtifact, TestReportArtifact } from '../artifacts.js';
import { junitTotals } from '../lib/junit.js';
import { bytecodeIn } from '../lib/bytecode.js';

/** Runs the `tests` folders of wheel-templates with pytest on the rendered sources, in the environment of `setup-jax`. */
export async function testPackages(context: StageContext): Promise<TestReportArtifact> {
  const jax = context.artifact<JaxArtifact>('setup-jax');
  const report = path.join('report', `packages-${context.variant.id}.xml`);
  const junit = path.join(context.outDir, report);
  await mkdir(path.dirname(junit), { recursive: true });
  const { exitCode } = await context.exec(
    path.join(jax.dir, jax.value.python),
    ['-m', 'pytest', '-p', 'no:cacheprovider', '-q', `--junitxml=${junit}`, ...(await placeTests(context))],
    { env: bytecodeIn(path.join(context.tempDir, 'pycache')), cwd: context.tempDir, okCodes: [0, 1] },
  );
  const { failures, ...totals } = junitTotals(await readFile(junit, 'utf8'));
  if (exitCode !== 0 || totals.failed > 0) {
    fail({
      kind: 'test',
      message: `${totals.failed} tests of the Python packages failed`,
      detail: failures.join('\n'),
      help: 'the log of this stage has the whole output of pytest',
    });
  }
  return { ...totals, junit: report };
}

/** Puts each rendered package and the tests of its template side by side, as the tests expect; returns the test folders. */
async function placeTests(context: StageContext): Promise<string[]> {
  const packages = context.artifact<PackagesArtifact>('render-packages');
  return Promise.all(
    packages.value.packages.map(async ({ folder, template }) => {
      const place = path.join(context.tempDir, folder);
      await cp(path.join(packages.dir, folder, 'src'), path.join(place, 'src'), { recursive: true });
      await cp(path.join(context.root, 'wheel-templates', template, 'tests'), path.join(place, 'tests'), {
        recursive: true,
      });
      return path.join(place, 'tests');
    }),
  );
}
