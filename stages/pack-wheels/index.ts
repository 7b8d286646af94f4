// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { WheelsArtifact } from '../artifacts.js';
import type { PackOptions } from './run.js';

export const definition: StageDefinition<PackOptions, WheelsArtifact> = {
  name: 'pack-wheels',
  title: 'Pack and check the wheels',
  schema: 'stages/pack-wheels.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  env: ['SOURCE_DATE_EPOCH'],
  output: 'tree',
  inputs: () => Promise.resolve({}),
  run: async (context) => (await import('./run.js')).packWheels(context),
};
