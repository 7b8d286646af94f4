// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact, StageContext } from '../../engine/api.js';
import type { MatrixCellArtifact, MatrixReport, WheelsArtifact } from '../artifacts.js';
import { supportsOf } from '../lib/compat/supports.js';
import { loadGrid } from '../lib/matrix/grid.js';
import { cellsOf } from './cells.js';
import { disagreementsOf } from './disagreements.js';
import { renderPage } from './page.js';
import { renderMarkdown, renderText } from './render.js';

/** The whole grid, for the variants that this run selected. */
export async function matrixReport(context: StageContext): Promise<MatrixReport> {
  const grid = await loadGrid(context.root, context.config);
  const results = context.artifacts<MatrixCellArtifact>('matrix-cell');
  const wheels = context.artifacts<WheelsArtifact>('pack-wheels');
  const cells = wheels.flatMap((wheel) => cellsOf(grid, wheel, results));
  const report: MatrixReport = {
    version: versionOf(wheels),
    supports: { ...supportsOf(context.config) },
    cells,
    forecast: context.forecast(),
    disagreements: disagreementsOf(cells, grid.compilerPackage),
  };
  await write(context, report);
  return report;
}

function versionOf(wheels: readonly Artifact<WheelsArtifact>[]): string {
  return wheels[0]?.value.wheels[0]?.version ?? '';
}

async function write(context: StageContext, report: MatrixReport): Promise<void> {
  await mkdir(path.join(context.outDir, 'matrix'));
  const file = (ending: string): string => path.join(context.outDir, 'matrix', `matrix.${ending}`);
  await writeFile(file('json'), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(file('md'), renderMarkdown(report));
  await writeFile(file('html'), await renderPage(context.root, report));
  await writeFile(file('txt'), renderText(report));
}
