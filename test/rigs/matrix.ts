// SPDX-License-Identifier: Apache-2.0
/** A small matrix: what it is asked about, and a report of it as a test wants the cells to end. */
import type { Artifact } from '../../engine/api.js';
import type { MatrixCellArtifact, WheelsArtifact } from '../../stages/artifacts.js';
import type { MatrixReport } from '../../stages/lib/matrix/report.js';
import { gridOf, type GridSources } from '../../stages/lib/matrix/grid.js';
import { cellsOf } from '../../stages/matrix-report/cells.js';
import { disagreementsOf } from '../../stages/matrix-report/disagreements.js';

const row = (version: string, ...pythons: readonly string[]) => ({
  version,
  pythons,
  pjrtApi: '0.90',
  stablehlo: '1.13.0',
  stablehloMinimum: '0.9.0',
  xlaCommit: 'a',
});
export const iree = (version: string) => ({
  version,
  compiler: { package: 'iree-base-compiler', version },
  stablehlo: '1.13.0',
});

export const SOURCES = {
  axes: { jaxlib: 'minors', refused: ['0.5.3'], pythons: ['3.12', '3.11'], compilers: '>=3.10' },
  supports: { jaxlib: '>=0.6.1,<0.13', python: '>=3.11', iree: '>=3.11,<3.14' },
  compat: {
    jaxlib: [
      row('0.6.1', '3.11'),
      row('0.6.2', '3.11', '3.12'),
      row('0.7.0', '3.11', '3.12'),
      row('0.7.1', '3.11', '3.12'),
      row('0.11.0', '3.12'),
    ],
    iree: [iree('3.9.0'), iree('3.10.0'), iree('3.11.0'), iree('3.12.0')],
  },
  iree: { runtime: { version: '3.11.0' }, compiler: { package: 'iree-base-compiler', version: '3.11.0' } },
} as unknown as GridSources;

export const nameOf = ({ jaxlib, python, compiler }: { jaxlib: string; python: string; compiler: string }): string =>
  `${jaxlib} ${python} ${compiler}`;

export const WHEEL: Artifact<WheelsArtifact> = {
  stage: 'pack-wheels',
  variant: { id: 'cpu-release', axes: { device: 'cpu', flavour: 'release', arch: 'x86_64' } },
  value: {
    wheels: [
      { name: 'a', version: '0.1.0', platform: 'iree_cpu', file: 'a.whl', sha256: '0'.repeat(64), size: 1, tag: 't' },
    ],
  },
  dir: '/wheels',
  digest: '',
};

export type Outcome = Pick<MatrixCellArtifact, 'result' | 'kind' | 'reason'>;

/** The grid, in which every cell that runs ends as `outcome` says, or else as it should. */
export function matrixReport(
  outcomes: Readonly<Record<string, Outcome>> = {},
  sources: GridSources = SOURCES,
): MatrixReport {
  const grid = gridOf(sources);
  const results = grid.cells
    .filter(({ runs }) => runs)
    .map((cell): Artifact<MatrixCellArtifact> => {
      const { barrier } = cell;
      const usual: Outcome = barrier
        ? { result: 'refused', kind: barrier, reason: 'no, <b>never</b>' }
        : { result: 'works' };
      return {
        ...WHEEL,
        stage: 'matrix-cell',
        variant: { id: `cpu-release-${nameOf(cell).replaceAll(' ', '-')}`, axes: {} },
        value: {
          ...{ versions: { jax: cell.jaxlib }, passed: 3, failed: 0, skipped: 0, seconds: 1.5, logTail: ['the end'] },
          ...(outcomes[nameOf(cell)] ?? usual),
        },
      };
    });
  const cells = cellsOf(grid, WHEEL, results);
  return {
    version: '0.1.0',
    suite: 'a'.repeat(64),
    supports: sources.supports,
    cells,
    forecast: {
      ...{ legs: 5, startupSeconds: 60, jobs: 2, unknown: [] },
      results: [
        { runners: 1, seconds: 1_824 },
        { runners: 64, seconds: 1_020 },
      ],
    },
    disagreements: disagreementsOf(cells, grid.compilerPackage),
  };
}
