// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageDefinition } from '../../engine/api.js';
import type { CompareReleasesOptions } from './lines.js';
import type { ReleasesReport } from './report.js';
import { TIMINGS_FILE } from './timings.js';

export const definition: StageDefinition<CompareReleasesOptions, ReleasesReport> = {
  name: 'compare-releases',
  title: 'Compare the release lines of IREE',
  schema: 'stages/compare-releases.schema.json',
  axes: [],
  version: 1,
  output: 'tree',
  publish: [
    { from: 'report/*', to: 'dist/report' },
    { from: 'shown/releases.txt', to: 'dist/report', show: true },
  ],
  inputs: async (context) => ({
    files: await context.glob(path.dirname(TIMINGS_FILE), [path.basename(TIMINGS_FILE)]),
  }),
  run: async (context) => (await import('./run.js')).compareReleases(context),
};
