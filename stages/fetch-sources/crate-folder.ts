// SPDX-License-Identifier: Apache-2.0
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { LockedCrate } from '../artifacts.js';
import { fetchCrate } from '../lib/crate.js';
import { treeSha256 } from '../lib/hash.js';
import { otherFile } from './other-file.js';

/** What was copied of a crate. */
export interface Copied {
  readonly copy: string;
  /** Paths relative to `copy`; absent: all that is there. */
  readonly files?: readonly string[];
}

/** Fetches the locked crate and has `take` copy what is needed of it; both are checked against the lock. */
export async function fetchCrateFolder(
  context: StageContext,
  { crate: name, crateVersion, sha256, treeSha256: wanted }: LockedCrate,
  take: (folder: string) => Promise<Copied>,
): Promise<void> {
  const crate = await fetchCrate(context, name, `=${crateVersion}`);
  if (crate.checksum !== sha256) {
    otherFile(`${name} ${crateVersion}`, {
      file: `${name}-${crateVersion}.crate`,
      wanted: sha256,
      found: crate.checksum === '' ? 'no checksum' : crate.checksum,
    });
  }
  const { copy, files } = await take(crate.folder);
  const found = await treeSha256(copy, files);
  if (found !== wanted) {
    fail({
      kind: 'integrity',
      message: `the unpacked crate ${name} ${crateVersion} is not what was locked`,
      file: crate.folder,
      wanted,
      found,
      help: `a file in cargo's folder was changed: delete ${crate.folder} and run again`,
    });
  }
}
