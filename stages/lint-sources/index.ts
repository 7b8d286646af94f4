// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import { lintInputs, lintSources } from './run.js';

export const definition: StageDefinition<Record<string, never>, { files: number }> = {
  name: 'lint-sources',
  title: 'Check the format of C++ and Python',
  schema: 'stages/lint-sources.schema.json',
  axes: [],
  version: 1,
  settings: [{ name: 'fix', text: '1: mend what can be mended' }],
  output: 'tree',
  inputs: lintInputs,
  run: lintSources,
};
