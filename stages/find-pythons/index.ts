// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { FoundPython } from '../artifacts.js';
import { PYTHON_ENV } from '../lib/pythons.js';
import type { FindOptions } from './run.js';

export const definition: StageDefinition<FindOptions, FoundPython> = {
  name: 'find-pythons',
  title: 'Look for the Pythons of the matrix',
  schema: 'stages/find-pythons.schema.json',
  axes: ['arch'],
  version: 1,
  env: [...PYTHON_ENV],
  output: 'state',
  points: async ({ root, config, variant }) => {
    const { loadGrid } = await import('../lib/matrix/grid.js');
    const { cells } = await loadGrid({ root, config, settings: {} }, variant);
    return [...new Set(cells.map(({ python }) => python))].map((python) => ({ python }));
  },
  inputs: () => Promise.resolve({ uncacheable: 'Pythons come and go' }),
  run: async (context) => (await import('./run.js')).findPython(context),
};
