// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { SmokeArtifact } from '../artifacts.js';
import { CHANNEL_SETTING, channelOf } from '../lib/channels.js';
import { frameworkInputs } from '../lib/local/inputs.js';
import { FRAMEWORK_SETTINGS } from '../lib/local/settings.js';
import { PYTHON_ENV, pythonFingerprint } from '../lib/pythons.js';
import { SUITE_FILES, SUITE_FOLDER } from '../lib/testing/suite-files.js';
import type { SmokeOptions } from './run.js';

export const definition: StageDefinition<SmokeOptions, SmokeArtifact> = {
  name: 'smoke-test',
  title: 'Install the wheels and run JAX on them',
  schema: 'stages/smoke-test.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  env: [...PYTHON_ENV],
  settings: [CHANNEL_SETTING, ...FRAMEWORK_SETTINGS],
  output: 'tree',
  // The smoke test with one Python took 372 MiB when it was measured.
  memory: 512 * 1024 ** 2,
  // A wheel reaches dist/ only with its smoke test passed: one that failed must not replace one that works.
  publish: [
    { from: '*.whl', to: 'dist' },
    { from: 'report/*', to: 'dist/report' },
  ],
  inputs: async (context) => {
    const { files, values } = await frameworkInputs(context);
    return {
      files: [...(await context.glob(SUITE_FOLDER, SUITE_FILES)), ...files],
      values: { pythons: await pythonFingerprint(context), channel: channelOf(context).name, ...values },
    };
  },
  run: async (context) => (await import('./run.js')).smokeTest(context),
};
