// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { WheelsReport } from '../artifacts.js';

export const definition: StageDefinition<Record<string, never>, WheelsReport> = {
  name: 'report-wheels',
  title: 'Say what each wheel holds, and where it was run',
  schema: 'stages/report-wheels.schema.json',
  axes: [],
  version: 1,
  output: 'tree',
  publish: [
    { from: 'report/wheels.*', to: 'dist/report' },
    { from: 'report/wheels.txt', to: 'dist/report', show: true },
  ],
  inputs: () => Promise.resolve({}),
  run: async (context) => (await import('./run.js')).reportWheels(context),
};
