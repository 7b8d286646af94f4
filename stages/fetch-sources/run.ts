// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { Lock, ResolveArtifact, SourcesArtifact } from '../artifacts.js';
import { componentsOf, writeLicenses } from './components.js';
import { fetchCrateTree, useFolder, useGit } from './iree.js';
import { fetchHeaders } from './headers.js';
import { fetchTracy } from './tracy.js';
import { ireeOverride, type FetchOptions, type Override } from './inputs.js';

/**
 * IREE's runtime tree, the headers, Tracy's client and the licences; everything checked against the lock. CUDA's header
 * is fetched whatever the device, Tracy whatever the flavour: they are small, and all variants share one result.
 */
export async function fetchSources(context: StageContext<FetchOptions>): Promise<SourcesArtifact> {
  const { lock } = context.artifact<ResolveArtifact>('resolve-versions').value;
  const override = ireeOverride(context);
  context.progress('fetch IREE, the headers and Tracy');
  const [iree] = await Promise.all([
    fetchIree(context, lock, override),
    fetchHeaders(context, lock.pjrtHeaders, 'include'),
    fetchHeaders(context, lock.cudaHeaders, 'cuda-include'),
    fetchTracy(context, lock.tracy, 'tracy'),
  ]);
  const tree = path.resolve(context.outDir, iree);
  const components = componentsOf(tree, lock, override);
  await mkdir(path.join(context.outDir, 'licenses'), { recursive: true });
  await writeLicenses(context.outDir, tree, components);
  await writeFile(path.join(context.outDir, 'components.json'), `${JSON.stringify(components, null, 2)}\n`);
  return {
    iree,
    pjrtHeaders: 'include',
    cudaHeaders: 'cuda-include',
    tracy: 'tracy',
    licenses: 'licenses',
    components,
  };
}

/** Where the tree is, relative to the artifact unless it is a developer's own folder. */
async function fetchIree(
  context: StageContext<FetchOptions>,
  lock: Lock,
  override: Override | undefined,
): Promise<string> {
  if (override?.kind === 'path') {
    await useFolder(context, override.folder, lock);
    return override.folder;
  }
  if (override?.kind === 'git') await useGit(context, override, lock);
  else await fetchCrateTree(context, lock);
  return 'iree';
}
