// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { ResolveArtifact } from '../artifacts.js';
import { CARGO_TOOL } from '../lib/cargo-tool.js';
import { LOCK_FILE, resolveInputs, type ResolveOptions } from './inputs.js';

export const definition: StageDefinition<ResolveOptions, ResolveArtifact> = {
  name: 'resolve-versions',
  title: 'Resolve versions',
  schema: 'stages/resolve-versions.schema.json',
  axes: [],
  version: 1,
  tools: [CARGO_TOOL],
  settings: ['channel', 'update', 'constraints.iree'],
  output: 'tree',
  settles: [LOCK_FILE],
  timeoutMs: 15 * 60_000,
  inputs: resolveInputs,
  run: async (context) => (await import('./run.js')).resolveVersions(context),
};
