// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { MatrixCheckArtifact } from './run.js';

export const definition: StageDefinition<Record<string, never>, MatrixCheckArtifact> = {
  name: 'matrix-check',
  title: 'Compare the matrix with what the wheels claim',
  schema: 'stages/matrix-check.schema.json',
  axes: [],
  version: 1,
  output: 'tree',
  inputs: () => Promise.resolve({}),
  run: async (context) => (await import('./run.js')).matrixCheck(context),
};
