// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { NativeArtifact } from '../artifacts.js';
import { ASAN_COMPILER } from '../lib/asan-compiler.js';
import { KEEP_GOING, NATIVE_READS, nativeInputs } from '../lib/native-tree.js';
import type { BuildOptions } from './run.js';

export const definition: StageDefinition<BuildOptions, NativeArtifact> = {
  name: 'build-native',
  title: 'Build the native plugin',
  schema: 'stages/build-native.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 1,
  tools: [ASAN_COMPILER],
  settings: [{ name: KEEP_GOING, text: 'true: compile on after an error, to see them all' }],
  output: 'tree',
  work: 'native',
  // Two compilers side by side took 408 MiB when it was measured.
  memory: (_, cores) => (128 + 192 * cores) * 1024 ** 2,
  reads: NATIVE_READS,
  inputs: nativeInputs,
  run: async (context) => (await import('./run.js')).buildNative(context),
};
