// SPDX-License-Identifier: Apache-2.0
import { cp } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { Lock } from '../artifacts.js';
import { fetchCrateFolder } from './crate-folder.js';

/** The sources of Tracy's client, in `folder` as a compiler looks for them; the licence lies beside them. */
export async function fetchTracy(context: StageContext, locked: Lock['tracy'], folder: string): Promise<void> {
  const target = path.join(context.outDir, folder);
  await fetchCrateFolder(context, locked, async (crate) => {
    await cp(path.join(crate, 'tracy'), target, { recursive: true, preserveTimestamps: true });
    return { copy: target };
  });
  context.log(`Tracy ${locked.version}, protocol ${locked.protocol}: ${locked.crate} ${locked.crateVersion}`);
}
