// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { ConformanceCheckArtifact } from './run.js';

export const definition: StageDefinition<Record<string, never>, ConformanceCheckArtifact> = {
  name: 'conformance-check',
  title: 'Look whether our conformance tests passed',
  schema: 'stages/conformance-check.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  output: 'tree',
  inputs: () => Promise.resolve({}),
  run: async (context) => (await import('./run.js')).conformanceCheck(context),
};
