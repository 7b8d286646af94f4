// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files and folders whose TypeScript ends up in the bundle, or that decide how it is made. */
const SOURCES = ['cli.ts', 'engine', 'commands', 'measuring', 'ci', 'stages', 'bin', 'package-lock.json'];

/**
 * A key that changes when a source does. It is made of names, sizes and times only, so that it takes a few
 * milliseconds.
 */
export function sourcesKey(root) {
  const hash = createHash('sha256').update(root);
  for (const name of SOURCES) add(hash, join(root, name));
  return hash.digest('hex').slice(0, 16);
}

function add(hash, path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\0`);
    return;
  }
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory() ? entry.name !== '__pycache__' : /\.(ts|mjs)$/.test(entry.name)) {
      add(hash, join(path, entry.name));
    }
  }
}
