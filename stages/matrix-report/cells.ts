// SPDX-License-Identifier: Apache-2.0
import type { Artifact } from '../../engine/api.js';
import type { MatrixCellArtifact, WheelsArtifact } from '../artifacts.js';
import type { MatrixCell } from '../lib/matrix/report.js';
import { pointOf, type Barrier, type Grid, type GridCell } from '../lib/matrix/grid.js';

const BARRIERS: Readonly<Record<Barrier, (cell: GridCell, grid: Grid) => string>> = {
  'requires-python': ({ python }) => `the wheel is not for Python ${python}`,
  'no-jaxlib': ({ jaxlib, python }) => `there is no jaxlib ${jaxlib} for Python ${python}`,
  'no-wheel': ({ python, local = [] }) => `there is no wheel of your own ${local.join(' and ')} for Python ${python}`,
  'compiler-release': ({ compiler }, { runtime }) => `compiler ${compiler} is not of the release of runtime ${runtime}`,
  'refused-jaxlib': ({ jaxlib }) => `jaxlib ${jaxlib} is older than any that a wheel serves`,
};

/** The cells of one wheel: those that ran as they went, the others as they are known. */
export function cellsOf(
  grid: Grid,
  wheels: Artifact<WheelsArtifact>,
  results: readonly Artifact<MatrixCellArtifact>[],
): MatrixCell[] {
  const { variant, value } = wheels;
  const { device = '', flavour = '', arch = '' } = variant.axes;
  return value.wheels.flatMap(({ file: wheel, sha256 }) =>
    grid.cells.map((cell) => {
      const { jaxlib, python, compiler, local, claimed } = cell;
      const id = [variant.id, ...Object.values(pointOf(cell))].join('-');
      const result = results.find((artifact) => artifact.variant.id === id)?.value;
      return {
        id,
        ...{ device, flavour, arch, wheel, sha256 },
        jax: result?.versions['jax'] ?? '',
        ...{ jaxlib, python, compiler, runtime: grid.runtime, claimed },
        ...(local ? { local } : {}),
        ...(result ?? unrun(cell, grid)),
        command: cell.runs ? `npx pipeline run matrix --force --only 'matrix-cell[${id}]'` : '',
      };
    }),
  );
}

/** A cell that is known to be impossible, or that this run did not select. */
function unrun(cell: GridCell, grid: Grid): Omit<MatrixCellArtifact, 'result'> & Pick<MatrixCell, 'result'> {
  const { barrier } = cell;
  const nothing = { versions: {}, passed: 0, failed: 0, skipped: 0, seconds: 0, logTail: [] };
  if (barrier === undefined) return { ...nothing, result: 'not-run', kind: 'selection', reason: 'it was not selected' };
  return { ...nothing, result: 'impossible', kind: barrier, reason: BARRIERS[barrier](cell, grid) };
}
