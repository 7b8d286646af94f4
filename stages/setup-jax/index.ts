// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { JaxArtifact } from '../artifacts.js';
import { CHANNEL_SETTING, channelOf } from '../lib/channels.js';
import { frameworkInputs } from '../lib/local/inputs.js';
import { FRAMEWORK_SETTINGS } from '../lib/local/settings.js';
import { PYTHON_ENV, pythonFingerprint } from '../lib/pythons.js';
import type { SetupJaxOptions } from './run.js';

export const definition: StageDefinition<SetupJaxOptions, JaxArtifact> = {
  name: 'setup-jax',
  title: 'Install JAX and the IREE compiler',
  schema: 'stages/setup-jax.schema.json',
  axes: ['iree'],
  version: 1,
  env: [...PYTHON_ENV],
  settings: [CHANNEL_SETTING, ...FRAMEWORK_SETTINGS],
  output: 'state',
  inputs: async (context) => {
    const { files, values } = await frameworkInputs(context);
    return {
      files,
      values: { pythons: await pythonFingerprint(context), channel: channelOf(context).name, ...values },
    };
  },
  run: async (context) => (await import('./run.js')).setupJax(context),
};
