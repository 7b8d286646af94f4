// SPDX-License-Identifier: Apache-2.0
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { MatrixReport } from '../lib/matrix/report.js';

export interface MatrixCheckArtifact {
  /** Claimed cells that were measured, all of which work. */
  readonly measured: number;
  /** Claimed cells that this machine could not measure. */
  readonly notRun: number;
}

/** Fails where the claim and the results disagree, and where nothing was measured. */
export function matrixCheck(context: StageContext): Promise<MatrixCheckArtifact> {
  const { cells, disagreements, supports } = context.artifact<MatrixReport>('matrix-report').value;
  if (disagreements.length > 0) {
    fail({
      kind: 'test',
      message: `what the wheels claim and what was measured disagree in ${disagreements.length} cells`,
      detail: disagreements.join('\n'),
      help: 'dist/matrix/matrix.html shows each; mend the wheel, or `supports` in pipeline.yaml',
    });
  }
  const claimed = cells.filter((cell) => cell.claimed);
  const measured = claimed.filter(({ result }) => result === 'works').length;
  if (measured === 0) {
    fail({
      kind: 'test',
      message: `nothing that the wheels claim (jaxlib ${supports.jaxlib}) was measured`,
      detail: [...new Set(claimed.map(({ reason = '' }) => reason))].join('\n'),
      help: 'name Pythons in PIPELINE_PYTHONS, or let uv fetch them (`download` of find-pythons)',
    });
  }
  return Promise.resolve({ measured, notRun: claimed.length - measured });
}
