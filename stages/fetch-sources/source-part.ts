// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { LockedCrate, LockedSdist } from '../artifacts.js';
import { pipOf } from '../lib/pip.js';
import { downloadSdist, unpackSdist } from '../lib/sdist.js';
import { copyPart, type SourcePart } from '../lib/source-parts.js';
import { fetchCrateFolder } from './crate-folder.js';
import type { FetchOptions } from './inputs.js';
import { otherFile } from './other-file.js';

/** What is taken of a locked crate, as `folder` of the artifact. */
export async function fetchCratePart(
  context: StageContext,
  locked: LockedCrate,
  part: SourcePart,
  folder: string,
): Promise<void> {
  const target = path.join(context.outDir, folder);
  await fetchCrateFolder(context, locked, async (crate) => {
    await copyPart(crate, part, target);
    return { copy: target };
  });
  context.log(`${folder} ${locked.version}: ${locked.crate} ${locked.crateVersion}`);
}

/** What is taken of a locked source distribution, as `folder` of the artifact. */
export async function fetchSdistPart(
  context: StageContext<FetchOptions>,
  { package: name, version, sha256 }: LockedSdist,
  part: SourcePart,
  folder: string,
): Promise<void> {
  const sdist = await downloadSdist(pipOf(context), name, version);
  if (sdist.sha256 !== sha256) {
    otherFile(`${name} ${version}`, { file: path.basename(sdist.archive), wanted: sha256, found: sdist.sha256 });
  }
  await copyPart(await unpackSdist(sdist), part, path.join(context.outDir, folder));
  context.log(`${folder}: ${path.basename(sdist.archive)}`);
}
