// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import { CHANNEL_SETTING } from '../lib/channels.js';
import { LOCAL_SETTINGS } from '../lib/local/settings.js';
import type { MatrixCellArtifact } from '../artifacts.js';
import type { CellOptions } from './cell.js';

export const definition: StageDefinition<CellOptions, MatrixCellArtifact> = {
  name: 'matrix-cell',
  title: 'Try the wheel with one set of versions',
  schema: 'stages/matrix-cell.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  settings: [CHANNEL_SETTING, ...LOCAL_SETTINGS],
  output: 'tree',
  // The smoke test with one Python took 372 MiB when it was measured.
  memory: 512 * 1024 ** 2,
  points: async (context) => {
    const { loadGrid, pointOf } = await import('../lib/matrix/grid.js');
    const { cells } = await loadGrid(context, context.variant);
    return cells.filter(({ runs }) => runs).map(pointOf);
  },
  inputs: async (context) => (await import('./cell.js')).cellInputs(context),
  run: async (context) => (await import('./run.js')).matrixCell(context),
};
