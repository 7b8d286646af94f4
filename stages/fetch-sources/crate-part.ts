// SPDX-License-Identifier: Apache-2.0
import { cp } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { LockedCrate } from '../artifacts.js';
import { fetchCrateFolder } from './crate-folder.js';

/** The folder `part` of a locked crate, as `folder` of the artifact. */
export async function fetchCratePart(
  context: StageContext,
  locked: LockedCrate,
  part: string,
  folder: string,
): Promise<void> {
  const target = path.join(context.outDir, folder);
  await fetchCrateFolder(context, locked, async (crate) => {
    await cp(path.join(crate, part), target, { recursive: true, preserveTimestamps: true });
    return { copy: target };
  });
  context.log(`${folder} ${locked.version}: ${locked.crate} ${locked.crateVersion}`);
}
