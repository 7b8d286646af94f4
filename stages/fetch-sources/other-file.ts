// SPDX-License-Identifier: Apache-2.0
import { fail } from '../../engine/failure.js';

/** Fails, as the registry has another file for `what`, a package and its version, than the lock names. */
export function otherFile(
  what: string,
  { file, wanted, found }: { readonly file: string; readonly wanted: string; readonly found: string },
): never {
  return fail({
    kind: 'integrity',
    message: `the registry has another file for ${what} than the lock names`,
    file,
    wanted,
    found,
    help: 'if the registry is one that you trust, run `npx pipeline resolve --update`',
  });
}
