// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { TestReportArtifact } from '../artifacts.js';
import { junitTotals } from '../lib/junit.js';

export interface ConformanceCheckArtifact {
  readonly passed: number;
}

/** Fails where a test failed: `conformance` itself only says how they ended, so that release lines can be compared. */
export async function conformanceCheck(context: StageContext): Promise<ConformanceCheckArtifact> {
  const { value, dir } = context.artifact<TestReportArtifact>('conformance');
  const { failures, failed, passed } = junitTotals(await readFile(path.join(dir, value.junit), 'utf8'));
  if (failed === 0) return { passed };
  return fail({
    kind: 'test',
    message: `${failed} of our conformance tests failed`,
    detail: failures.join('\n'),
    help:
      `dist/${value.junit} says how; again: ` +
      `npx pipeline run check --variant ${context.variant.id} --force --only conformance`,
  });
}
