// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { MatrixCellArtifact, WheelsArtifact } from '../artifacts.js';
import type { MatrixReport } from '../lib/matrix/report.js';
import { supportsOf } from '../lib/compat/supports.js';
import { loadGrid } from '../lib/matrix/grid.js';
import { suiteSha256 } from '../lib/testing/suite-sha256.js';
import { projectVersion } from '../lib/native-tree.js';
import { cellsOf } from './cells.js';
import { disagreementsOf } from './disagreements.js';
import { renderPage } from './page.js';
import { renderMarkdown, renderText } from './render.js';

/** The whole grid, for the variants that this run selected. */
export async function matrixReport(context: StageContext): Promise<MatrixReport> {
  const results = context.artifacts<MatrixCellArtifact>('matrix-cell');
  const wheels = context.artifacts<WheelsArtifact>('pack-wheels');
  const sections = await Promise.all(
    wheels.map(async (wheel) => {
      const grid = await loadGrid(context, wheel.variant);
      const cells = cellsOf(grid, wheel, results);
      return { cells, disagreements: disagreementsOf(cells, grid.compilerPackage) };
    }),
  );
  const report: MatrixReport = {
    version: projectVersion(context),
    suite: await suiteSha256(context.root),
    supports: { ...supportsOf(context.config) },
    cells: sections.flatMap(({ cells }) => cells),
    forecast: context.forecast(),
    disagreements: sections.flatMap(({ disagreements }) => disagreements),
  };
  await write(context, report);
  return report;
}

async function write(context: StageContext, report: MatrixReport): Promise<void> {
  await mkdir(path.join(context.outDir, 'matrix'));
  const file = (ending: string): string => path.join(context.outDir, 'matrix', `matrix.${ending}`);
  await writeFile(file('json'), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(file('md'), renderMarkdown(report));
  await writeFile(file('html'), await renderPage(context.root, report));
  await writeFile(file('txt'), renderText(report));
}
