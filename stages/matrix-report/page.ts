// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import nunjucks from 'nunjucks';
import type { MatrixReport } from '../lib/matrix/report.js';
import { basisOf, countsOf, missingPythons, sectionsOf, SIGNS, timesOf } from './table.js';

/** `dist/matrix/matrix.html`: one file, without a script; a cell opens by the browser's own popovers. */
export async function renderPage(root: string, report: MatrixReport): Promise<string> {
  const folder = path.join(root, 'stages', 'matrix-report', 'page');
  const [template, style] = await Promise.all(
    ['page.html.njk', 'page.css'].map((file) => readFile(path.join(folder, file), 'utf8')),
  );
  const environment = new nunjucks.Environment(null, {
    autoescape: true,
    throwOnUndefined: true,
    trimBlocks: true,
    lstripBlocks: true,
  });
  return new nunjucks.Template(template ?? '', environment, 'page.html.njk', true).render({
    style,
    report,
    sections: sectionsOf(report),
    counts: countsOf(report),
    missing: missingPythons(report),
    signs: SIGNS,
    times: timesOf(report.forecast),
    basis: basisOf(report.forecast),
  });
}
