// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { LockedIree, SourcesArtifact } from '../artifacts.js';
import { CRATE_PARTS } from '../lib/crate-parts.js';
import { lockAndIree } from '../lib/locked-iree.js';
import { componentsOf, writeLicenses } from './components.js';
import { fetchCrateTree, useFolder, useGit } from './iree.js';
import { fetchHeaders } from './headers.js';
import { fetchCratePart } from './crate-part.js';
import { ireeOverride, type FetchOptions, type Override } from './inputs.js';

/**
 * IREE's runtime tree, the headers, Tracy's client, GoogleTest and the licences; everything checked against the lock.
 * CUDA's header is fetched whatever the device, Tracy whatever the flavour: they are small, and variants of one IREE
 * share one result.
 */
export async function fetchSources(context: StageContext<FetchOptions>): Promise<SourcesArtifact> {
  const { lock, iree: locked } = lockAndIree(context);
  const override = ireeOverride(context);
  context.progress('fetch IREE, the headers, Tracy and GoogleTest');
  const [iree] = await Promise.all([
    fetchIree(context, locked, override),
    fetchHeaders(context, lock.pjrtHeaders, 'include'),
    fetchHeaders(context, lock.cudaHeaders, 'cuda-include'),
    fetchCratePart(context, lock.tracy, CRATE_PARTS.tracy, 'tracy'),
    fetchCratePart(context, lock.googletest, CRATE_PARTS.googletest, 'googletest'),
  ]);
  const tree = path.resolve(context.outDir, iree);
  const components = componentsOf(tree, { iree: locked, pjrtHeaders: lock.pjrtHeaders }, override);
  await mkdir(path.join(context.outDir, 'licenses'), { recursive: true });
  await writeLicenses(context.outDir, tree, components);
  await writeFile(path.join(context.outDir, 'components.json'), `${JSON.stringify(components, null, 2)}\n`);
  return {
    iree,
    pjrtHeaders: 'include',
    cudaHeaders: 'cuda-include',
    tracy: 'tracy',
    googletest: 'googletest',
    licenses: 'licenses',
    components,
  };
}

/** Where the tree is, relative to the artifact unless it is a developer's own folder. */
async function fetchIree(
  context: StageContext<FetchOptions>,
  locked: LockedIree,
  override: Override | undefined,
): Promise<string> {
  if (override?.kind === 'path') {
    await useFolder(context, override.folder, locked);
    return override.folder;
  }
  if (override?.kind === 'git') await useGit(context, override, locked);
  else await fetchCrateTree(context, locked);
  return 'iree';
}
