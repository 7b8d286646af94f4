// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { PackagesArtifact } from '../artifacts.js';
import { renderInputs } from './packages.js';

export const definition: StageDefinition<Record<string, never>, PackagesArtifact> = {
  name: 'render-packages',
  title: 'Render the Python packages',
  schema: 'stages/render-packages.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  output: 'tree',
  inputs: renderInputs,
  run: async (context) => (await import('./run.js')).renderPackages(context),
};
