// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { TestReportArtifact } from '../artifacts.js';
import { CHANNEL_SETTING, channelOf } from '../lib/channels.js';
import { frameworkInputs } from '../lib/local/inputs.js';
import { FRAMEWORK_SETTINGS } from '../lib/local/settings.js';
import { PYTHON_ENV, pythonFingerprint } from '../lib/pythons.js';
import type { ConformanceOptions } from '../lib/testing/conformance.js';
import { combinationsOf, COMBINATIONS_SETTING } from './combinations.js';

export const definition: StageDefinition<ConformanceOptions, TestReportArtifact> = {
  name: 'conformance',
  title: 'Run our conformance tests on the wheels',
  schema: 'stages/conformance.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  env: [...PYTHON_ENV],
  settings: [CHANNEL_SETTING, COMBINATIONS_SETTING, ...FRAMEWORK_SETTINGS],
  output: 'tree',
  publish: [{ from: 'report/*', to: 'dist/report' }],
  inputs: async (context) => {
    const { files, values } = await frameworkInputs(context);
    return {
      files: [...(await context.glob('stages/lib/testing', ['*.py'])), ...files],
      values: {
        pythons: await pythonFingerprint(context),
        channel: channelOf(context).name,
        combinations: combinationsOf(context),
        ...values,
      },
    };
  },
  run: async (context) => (await import('./run.js')).conformance(context),
};
