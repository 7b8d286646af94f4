// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { MatrixReport } from '../lib/matrix/report.js';
import { LOCAL_SETTINGS, pathsOf } from '../lib/local/settings.js';
import { SUITE_FILES, SUITE_FOLDER } from '../lib/testing/suite-files.js';

export const definition: StageDefinition<Record<string, never>, MatrixReport> = {
  name: 'matrix-report',
  title: 'Gather the matrix',
  schema: 'stages/matrix-report.schema.json',
  axes: [],
  version: 1,
  settings: LOCAL_SETTINGS,
  output: 'tree',
  publish: [
    { from: 'matrix/matrix.*', to: 'dist/matrix' },
    { from: 'matrix/matrix.txt', to: 'dist/matrix', show: true },
  ],
  inputs: async (context) => ({
    files: [
      ...(await context.glob('.', ['compat/{jaxlib,iree}.yaml', 'pipeline.lock.yaml'])),
      ...(await context.glob(SUITE_FOLDER, SUITE_FILES)),
    ],
    values: {
      matrix: context.config.sections['matrix'] ?? null,
      supports: context.config.sections['supports'] ?? null,
      // The cells hold what was found there.
      local: pathsOf(context),
      forecast: { ...context.forecast() },
    },
  }),
  run: async (context) => (await import('./run.js')).matrixReport(context),
};
