// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { SourcesArtifact } from '../artifacts.js';
import { treeSha256 } from '../lib/hash.js';
import { ireeFiles } from '../lib/iree-tree.js';
import { lockAndIree } from '../lib/locked-iree.js';
import { SOURCE_PARTS } from '../lib/source-parts.js';
import { componentsOf, writeLicenses } from './components.js';
import { checkTogether, commitOf, fetchCrateTree, useFolder, useGit, type Together } from './iree.js';
import { fetchHeaders } from './headers.js';
import { fetchCratePart, fetchSdistPart } from './source-part.js';
import { ireeOverride, type FetchOptions, type Override } from './inputs.js';

/**
 * IREE's runtime tree, the headers, Tracy's client, GoogleTest, DUCC and the licences; everything checked against the lock.
 * CUDA's header is fetched whatever the device, Tracy whatever the flavour: they are small, and variants of one IREE
 * share one result.
 */
export async function fetchSources(context: StageContext<FetchOptions>): Promise<SourcesArtifact> {
  const { lock, iree: used, own } = lockAndIree(context);
  const override = ireeOverride(context);
  context.progress('fetch IREE, the headers, Tracy, GoogleTest and DUCC');
  const [iree] = await Promise.all([
    fetchIree(context, override, { iree: used, own }),
    fetchHeaders(context, lock.pjrtHeaders, 'include'),
    fetchHeaders(context, lock.cudaHeaders, 'cuda-include'),
    fetchCratePart(context, lock.tracy, SOURCE_PARTS.tracy, 'tracy'),
    fetchCratePart(context, lock.googletest, SOURCE_PARTS.googletest, 'googletest'),
    fetchSdistPart(context, lock.ducc, SOURCE_PARTS.ducc, 'ducc'),
  ]);
  const tree = path.resolve(context.outDir, iree.folder);
  const made = { iree: used, version: iree.version, pjrtHeaders: lock.pjrtHeaders, ducc: lock.ducc };
  const components = componentsOf(tree, made, override);
  await mkdir(path.join(context.outDir, 'licenses'), { recursive: true });
  await writeLicenses(context.outDir, tree, components);
  await writeFile(path.join(context.outDir, 'components.json'), `${JSON.stringify(components, null, 2)}\n`);
  return {
    iree: iree.folder,
    ireeVersion: iree.version,
    ...(iree.sha256 === undefined ? {} : { ireeSha256: iree.sha256 }),
    pjrtHeaders: 'include',
    cudaHeaders: 'cuda-include',
    tracy: 'tracy',
    googletest: 'googletest',
    ducc: 'ducc',
    licenses: 'licenses',
    components,
  };
}

/** Where the tree is, relative to the artifact unless it is a developer's own folder, and its release. */
async function fetchIree(
  context: StageContext<FetchOptions>,
  override: Override | undefined,
  together: Together,
): Promise<{ readonly folder: string; readonly version: string; readonly sha256?: string }> {
  if (override?.kind === 'path') {
    const { folder } = override;
    await useFolder(context, folder);
    const commit = together.own?.commit && (await commitOf(context, folder));
    const version = await checkTogether(context, folder, { ...together, commit });
    // The folder is no part of the artifact: without this an edit in it would change nothing for what is made of it.
    return { folder, version, sha256: await treeSha256(folder, ireeFiles(folder)) };
  }
  if (override?.kind === 'git') await useGit(context, override);
  else await fetchCrateTree(context, together.iree);
  const tree = path.join(context.outDir, 'iree');
  return { folder: 'iree', version: await checkTogether(context, tree, { ...together, commit: override?.rev }) };
}
