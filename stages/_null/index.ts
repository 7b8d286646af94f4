// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { NullArtifact, NullOptions } from './run.js';

export const definition: StageDefinition<NullOptions, NullArtifact> = {
  name: '_null',
  title: 'Write a greeting',
  schema: 'stages/_null.schema.json',
  axes: [],
  version: 1,
  output: 'tree',
  inputs: () => Promise.resolve({}),
  // The code of a stage is imported when it runs: a run that finds everything unchanged loads the definitions only.
  run: async (context) => (await import('./run.js')).runNull(context),
};
