// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { JaxTestsArtifact } from '../artifacts.js';
import { CHANNEL_SETTING, channelOf } from '../lib/channels.js';
import { frameworkInputs } from '../lib/local/inputs.js';
import { FRAMEWORK_SETTINGS } from '../lib/local/settings.js';
import { PYTHON_ENV, pythonFingerprint } from '../lib/pythons.js';
import { requestOf, type JaxTestsOptions } from './request.js';

export const definition: StageDefinition<JaxTestsOptions, JaxTestsArtifact> = {
  name: 'jax-tests',
  title: "Run JAX's own tests on XLA:CPU and on the wheel",
  schema: 'stages/jax-tests.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  env: [...PYTHON_ENV],
  settings: [
    CHANNEL_SETTING,
    ...FRAMEWORK_SETTINGS,
    { name: 'jax-tests', text: "checkout of JAX's repository, whose tests are run", option: 'folder' },
    { name: 'jax-tests.select', text: "pytest's -k: a part of each file" },
    { name: 'jax-tests.files', text: 'the files to run, with commas; FILE@8 runs one on 8 devices' },
    { name: 'jax-tests.fresh', text: '1: run again what is known' },
  ],
  check: requestOf,
  output: 'tree',
  publish: [
    { from: 'report/*', to: 'dist/report' },
    { from: 'shown/jax-tests.txt', to: 'dist/report', show: true },
  ],
  inputs: async (context) => {
    const { checkout, files, select, fresh } = await requestOf(context);
    const local = await frameworkInputs(context);
    return {
      files: [
        ...files.map(({ path }) => path),
        ...(await context.glob('stages/lib/testing', ['*.py'])),
        ...local.files,
      ],
      values: {
        jax: checkout.version,
        select: select ?? null,
        pythons: await pythonFingerprint(context),
        channel: channelOf(context).name,
        ...local.values,
      },
      ...(fresh ? { uncacheable: 'jax-tests.fresh asks for new results' } : {}),
    };
  },
  run: async (context) => (await import('./run.js')).jaxTests(context),
};
