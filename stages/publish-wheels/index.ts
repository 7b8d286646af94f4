// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../../engine/api.js';
import type { PublishedArtifact } from '../artifacts.js';
import type { PublishOptions } from './run.js';

export const definition: StageDefinition<PublishOptions, PublishedArtifact> = {
  name: 'publish-wheels',
  title: 'Upload the wheels to a package index',
  schema: 'stages/publish-wheels.schema.json',
  axes: ['device', 'flavour', 'arch', 'iree'],
  version: 2,
  env: ['TWINE_USERNAME', 'TWINE_PASSWORD', 'TWINE_REPOSITORY', 'TWINE_REPOSITORY_URL', 'TWINE_CERT'],
  settings: [{ name: 'publish.rehearse', text: 'true: check, upload nothing' }],
  output: 'tree',
  publish: [{ from: 'upload/*.whl', to: 'dist/upload' }],
  inputs: () => Promise.resolve({ uncacheable: 'what an index holds is known to the index alone' }),
  run: async (context) => (await import('./run.js')).publishWheels(context),
};
