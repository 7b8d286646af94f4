// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { JaxArtifact } from '../artifacts.js';
import { PYTHON_ENV, pythonFingerprint } from '../lib/pythons.js';

export const definition: StageDefinition<Record<string, never>, JaxArtifact> = {
  name: 'setup-jax',
  title: 'Install JAX and the IREE compiler',
  schema: 'stages/setup-jax.schema.json',
  axes: [],
  version: 1,
  env: [...PYTHON_ENV],
  output: 'state',
  inputs: async (context) => ({ values: { pythons: await pythonFingerprint(context) } }),
  run: async (context) => (await import('./run.js')).setupJax(context),
};
