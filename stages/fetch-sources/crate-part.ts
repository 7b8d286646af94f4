// SPDX-License-Identifier: Apache-2.0
import { cp } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { LockedCrate } from '../artifacts.js';
import type { CratePart } from '../lib/crate-parts.js';
import { fetchCrateFolder } from './crate-folder.js';

/** What is taken of a locked crate, as `folder` of the artifact. */
export async function fetchCratePart(
  context: StageContext,
  locked: LockedCrate,
  part: CratePart,
  folder: string,
): Promise<void> {
  const target = path.join(context.outDir, folder);
  await fetchCrateFolder(context, locked, async (crate) => {
    for (const name of part.files ?? ['.']) {
      const from = path.join(crate, part.folder, name);
      await cp(from, path.join(target, name), { recursive: true, preserveTimestamps: true });
    }
    return { copy: target };
  });
  context.log(`${folder} ${locked.version}: ${locked.crate} ${locked.crateVersion}`);
}
