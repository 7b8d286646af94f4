// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { JaxTestsArtifact } from '../artifacts.js';
import { channelOf } from '../lib/channels.js';
import { PYTHON_ENV, pythonFingerprint } from '../lib/pythons.js';
import { requestOf, type JaxTestsOptions } from './request.js';

const HOUR_MS = 60 * 60 * 1000;

export const definition: StageDefinition<JaxTestsOptions, JaxTestsArtifact> = {
  name: 'jax-tests',
  title: "Run JAX's own tests on XLA:CPU and on the wheel",
  schema: 'stages/jax-tests.schema.json',
  axes: ['device', 'flavour', 'arch'],
  version: 1,
  env: [...PYTHON_ENV],
  settings: ['channel', 'jax-tests', 'jax-tests.select', 'jax-tests.files', 'jax-tests.fresh'],
  output: 'tree',
  timeoutMs: 24 * HOUR_MS,
  publish: [
    { from: 'report/*', to: 'dist/report' },
    { from: 'shown/jax-tests.txt', to: 'dist/report', show: true },
  ],
  inputs: async (context) => {
    const { checkout, files, select, fresh } = await requestOf(context);
    return {
      files: [...files.map(({ path }) => path), ...(await context.glob('stages/lib/testing', ['*.py']))],
      values: {
        jax: checkout.version,
        select: select ?? null,
        pythons: await pythonFingerprint(context),
        channel: channelOf(context).name,
      },
      ...(fresh ? { uncacheable: 'jax-tests.fresh asks for new results' } : {}),
    };
  },
  run: async (context) => (await import('./run.js')).jaxTests(context),
};
