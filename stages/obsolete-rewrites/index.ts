// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { ObsoleteRewritesArtifact } from '../artifacts.js';
import { CHANNEL_SETTING, channelOf } from '../lib/channels.js';
import { frameworkInputs } from '../lib/local/inputs.js';
import { FRAMEWORK_SETTINGS } from '../lib/local/settings.js';
import { PYTHON_ENV, pythonFingerprint } from '../lib/pythons.js';
import { CONFORMANCE, type ConformanceOptions } from '../lib/testing/conformance.js';
import { chosen, PASSES_SETTING, PLUGIN_INFO, SELECT_SETTING } from './passes.js';

export const definition: StageDefinition<ConformanceOptions, ObsoleteRewritesArtifact> = {
  name: 'obsolete-rewrites',
  title: 'Find the rewrites that this IREE does not need',
  schema: 'stages/obsolete-rewrites.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  env: [...PYTHON_ENV],
  settings: [
    CHANNEL_SETTING,
    ...FRAMEWORK_SETTINGS,
    { name: PASSES_SETTING, text: 'the passes to try, with commas (default: all)' },
    { name: SELECT_SETTING, text: "pytest's -k: a part of the tests" },
  ],
  output: 'tree',
  publish: [
    { from: 'report/*', to: 'dist/report' },
    { from: 'shown/obsolete-rewrites.txt', to: 'dist/report', show: true },
  ],
  inputs: async (context) => {
    const local = await frameworkInputs(context);
    return {
      files: [
        ...(await context.glob('stages/lib/testing', ['*.py'])),
        ...(await context.glob(CONFORMANCE, ['**/*.{py,ini}'])),
        ...(await context.glob('.', [PLUGIN_INFO])),
        ...local.files,
      ],
      values: {
        passes: [...(chosen(context.settings) ?? [])],
        select: context.settings[SELECT_SETTING] ?? null,
        pythons: await pythonFingerprint(context),
        channel: channelOf(context).name,
        ...local.values,
      },
    };
  },
  run: async (context) => (await import('./run.js')).obsoleteRewrites(context),
};
