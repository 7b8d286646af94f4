// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { JaxArtifact } from '../artifacts.js';
import { CHANNEL_SETTING, channelOf } from '../lib/channels.js';
import { PYTHON_ENV, pythonFingerprint } from '../lib/pythons.js';
import type { SetupJaxOptions } from './run.js';

export const definition: StageDefinition<SetupJaxOptions, JaxArtifact> = {
  name: 'setup-jax',
  title: 'Install JAX and the IREE compiler',
  schema: 'stages/setup-jax.schema.json',
  axes: ['iree'],
  version: 1,
  env: [...PYTHON_ENV],
  settings: [CHANNEL_SETTING],
  output: 'state',
  inputs: async (context) => ({
    values: { pythons: await pythonFingerprint(context), channel: channelOf(context).name },
  }),
  run: async (context) => (await import('./run.js')).setupJax(context),
};
