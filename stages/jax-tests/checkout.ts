// SPDX-License-Identifier: Apache-2.0
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../engine/failure.js';

/** A checkout (or an unpacked archive) of JAX's repository, of which the tests are used and nothing else. */
export interface Checkout {
  /** Absolute. */
  readonly folder: string;
  /** Version whose tests these are, e.g. `0.10.2`. */
  readonly version: string;
}

const HELP = "give --jax-tests a checkout of JAX's repository at the tag of a suite, e.g. jax-v0.10.2";

/** Looks whether `folder` is what it should be; fails with `usage` and says what is wrong. */
export async function openCheckout(folder: string): Promise<Checkout> {
  if (!(await isFolder(folder))) fail({ kind: 'usage', message: `${folder} is not a directory`, help: HELP });
  if (!(await isFolder(path.join(folder, 'tests')))) {
    fail({ kind: 'usage', message: `${folder} has no folder tests/`, help: HELP });
  }
  const version = (await statedVersion(folder)) ?? namedVersion(folder);
  if (version !== undefined) return { folder, version };
  return fail({
    kind: 'usage',
    message: `${folder} does not tell its version: it has no jax/version.py, and its name is not jax-VERSION`,
    help: HELP,
  });
}

async function statedVersion(folder: string): Promise<string | undefined> {
  const text = await readFile(path.join(folder, 'jax', 'version.py'), 'utf8').catch(() => '');
  return /^_version\s*=\s*["']([\d.]+)["']/m.exec(text)?.[1];
}

/** For a copy of the tests alone: `jax-0.10.2`, or `jax-jax-v0.10.2` as archives of a tag are named. */
function namedVersion(folder: string): string | undefined {
  return /^jax-(?:jax-v?|v)?(\d+(?:\.\d+)+)$/.exec(path.basename(folder))?.[1];
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
