// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { JaxArtifact, TestReportArtifact, ToolsArtifact } from '../artifacts.js';
import { junitTotals } from '../lib/junit.js';
import { configureAndBuild, platformTag } from '../lib/native-tree.js';

export interface TestNativeOptions {
  readonly platform: string;
}

/** Builds the GoogleTests in the library's tree and runs them with ctest against the real compiler library. */
export async function testNative(context: StageContext<TestNativeOptions>): Promise<TestReportArtifact> {
  const build = await configureAndBuild(context, {
    platform: platformTag(context),
    targets: ['all'],
  });
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const jax = context.artifact<JaxArtifact>('setup-jax');
  const report = path.join('report', `googletest-${context.variant.id}.xml`);
  const junit = path.join(context.outDir, report);
  await mkdir(path.dirname(junit), { recursive: true });
  context.progress('ctest');
  const { exitCode } = await context.exec(
    path.join(tools.dir, tools.value.bin, 'ctest'),
    [
      '--test-dir',
      build,
      '--output-junit',
      junit,
      '--output-on-failure',
      '--no-tests=error',
      '-j',
      String(context.jobs),
    ],
    { okCodes: [0, 8], env: { IREE_PJRT_COMPILER_LIB_PATH: path.join(jax.dir, jax.value.compilerLibrary) } },
  );
  const { failures, ...totals } = junitTotals(await readFile(junit, 'utf8'));
  context.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  if (exitCode !== 0 || totals.failed > 0) {
    fail({
      kind: 'test',
      message: `${totals.failed} of the plugin's GoogleTests failed`,
      detail: failures.join('\n'),
      help: `run them again: ctest --test-dir ${path.relative(context.root, build)} --rerun-failed --output-on-failure`,
    });
  }
  return { ...totals, junit: report };
}
