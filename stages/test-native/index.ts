// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { TestReportArtifact } from '../artifacts.js';
import { ASAN_COMPILER } from '../lib/asan-compiler.js';
import { NATIVE_READS, nativeInputs } from '../lib/native-tree.js';
import type { TestNativeOptions } from './run.js';

export const definition: StageDefinition<TestNativeOptions, TestReportArtifact> = {
  name: 'test-native',
  title: 'Run the GoogleTests',
  schema: 'stages/test-native.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  tools: [ASAN_COMPILER],
  output: 'tree',
  work: 'native',
  // Two compilers side by side took 384 MiB when it was measured.
  memory: (_, cores) => (128 + 192 * cores) * 1024 ** 2,
  publish: [{ from: 'report/*', to: 'dist/report' }],
  reads: NATIVE_READS,
  inputs: nativeInputs,
  run: async (context) => (await import('./run.js')).testNative(context),
};
