// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { ToolsArtifact } from '../artifacts.js';
import { pythonFingerprint } from '../lib/pythons.js';
import { PYTHON_TOOL } from './python-tool.js';
import type { ToolsOptions } from './run.js';

export const definition: StageDefinition<ToolsOptions, ToolsArtifact> = {
  name: 'setup-tools',
  title: 'Install the build tools',
  schema: 'stages/setup-tools.schema.json',
  axes: [],
  version: 1,
  tools: [PYTHON_TOOL],
  // The tools run on the user's Python; PIPELINE_PYTHONS only adds more to test on.
  env: ['PIPELINE_PYTHON'],
  output: 'state',
  inputs: async (context) => ({ values: { pythons: await pythonFingerprint(context) } }),
  run: async (context) => (await import('./run.js')).setupTools(context),
};
