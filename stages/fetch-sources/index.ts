// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition, ToolSpec } from '../../engine/api.js';
import { CHANNEL_SETTING } from '../lib/channels.js';
import type { SourcesArtifact } from '../artifacts.js';
import { CARGO_TOOL } from '../lib/cargo-tool.js';
import { fetchInputs, type FetchOptions } from './inputs.js';

const GIT: ToolSpec = {
  name: 'git',
  probes: [['git', '--version']],
  version: /git version (\d+\.\d+(?:\.\d+)?)/,
  needs: '>=2.25',
  install: 'install git; only an override of a source by a git URL needs it',
  required: false,
  inKey: false,
};

export const definition: StageDefinition<FetchOptions, SourcesArtifact> = {
  name: 'fetch-sources',
  title: 'Fetch and verify the sources',
  schema: 'stages/fetch-sources.schema.json',
  axes: ['iree'],
  version: 1,
  tools: [CARGO_TOOL, GIT],
  settings: [
    CHANNEL_SETTING,
    { name: 'sources.iree.path', text: 'folder with IREE, instead of the release that is locked' },
    { name: 'sources.iree.git', text: 'repository of IREE, instead of the release that is locked' },
    { name: 'sources.iree.rev', text: 'commit of that repository' },
  ],
  output: 'tree',
  inputs: fetchInputs,
  run: async (context) => (await import('./run.js')).fetchSources(context),
};
