// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import { globSync } from 'tinyglobby';
import { treeSha256 } from '../hash.js';
import { SUITE_FILES, SUITE_FOLDER } from './suite-files.js';

/** sha256 over the paths and contents of the smoke test's files. */
export async function suiteSha256(root: string): Promise<string> {
  const folder = path.join(root, SUITE_FOLDER);
  return treeSha256(folder, globSync([...SUITE_FILES], { cwd: folder }));
}
