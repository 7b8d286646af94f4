// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { TestReportArtifact } from '../artifacts.js';
import { installConformance, runConformance, type ConformanceOptions } from '../lib/testing/conformance.js';
import { combinationsOf } from './combinations.js';

/** Installs the wheel for the lowest Python here and runs the tests in `python/` on it; `conformance-check` judges. */
export async function conformance(context: StageContext<ConformanceOptions>): Promise<TestReportArtifact> {
  const installed = await installConformance(context);
  const junit = path.join('report', `conformance-${context.variant.id}.xml`);
  context.progress('run the tests');
  const args = ['--durations=10', `--combinations=${combinationsOf(context)}`];
  const request = { ...installed, junit: path.join(context.outDir, junit), args };
  const { failures, exitCode, ...totals } = await runConformance(context, request);
  context.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  if (exitCode !== 0 && failures.length === 0) {
    fail({
      kind: 'test',
      message: `pytest ended with exit code ${exitCode} and named no failed test`,
      detail: `${totals.passed} tests had passed`,
      help: 'the log of this stage has its whole output',
    });
  }
  return { ...totals, junit };
}
