// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { TestReportArtifact } from '../artifacts.js';

export const definition: StageDefinition<Record<string, never>, TestReportArtifact> = {
  name: 'test-packages',
  title: 'Run the unit tests of the Python packages',
  schema: 'stages/test-packages.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  output: 'tree',
  publish: [{ from: 'report/*', to: 'dist/report' }],
  inputs: async (context) => ({ files: await context.glob('wheel-templates', ['*/tests/**/*.py']) }),
  run: async (context) => (await import('./run.js')).testPackages(context),
};
