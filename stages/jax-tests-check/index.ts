// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageDefinition } from '../../engine/api.js';
import { EXPECTED_FILE } from './expected.js';
import type { JaxTestsCheckArtifact } from './run.js';

export const definition: StageDefinition<Record<string, never>, JaxTestsCheckArtifact> = {
  name: 'jax-tests-check',
  title: "Compare with the failures of JAX's tests that are known",
  schema: 'stages/jax-tests-check.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  settings: [{ name: 'update-expected', text: `writes what failed into ${EXPECTED_FILE}`, option: 'flag' }],
  output: 'tree',
  settles: [EXPECTED_FILE],
  inputs: (context) => Promise.resolve({ files: [path.join(context.root, EXPECTED_FILE)] }),
  run: async (context) => (await import('./run.js')).jaxTestsCheck(context),
};
