// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import { CHANNEL_SETTING } from '../lib/channels.js';
import type { ResolveArtifact } from '../artifacts.js';
import { LOCAL_SETTINGS } from '../lib/local/settings.js';
import { CARGO_TOOL } from '../lib/cargo-tool.js';
import { LOCK_FILE, resolveInputs, type ResolveOptions } from './inputs.js';

export const definition: StageDefinition<ResolveOptions, ResolveArtifact> = {
  name: 'resolve-versions',
  title: 'Resolve versions',
  schema: 'stages/resolve-versions.schema.json',
  axes: [],
  version: 1,
  tools: [CARGO_TOOL],
  settings: [
    CHANNEL_SETTING,
    { name: 'update', text: 'true: ask the registries again' },
    ...LOCAL_SETTINGS,
    { name: 'constraints.iree', text: 'releases of IREE, instead of those that pipeline.yaml allows' },
  ],
  output: 'tree',
  settles: [LOCK_FILE],
  inputs: resolveInputs,
  run: async (context) => (await import('./run.js')).resolveVersions(context),
};
