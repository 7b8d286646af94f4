// SPDX-License-Identifier: Apache-2.0
import { cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import pLimit from 'p-limit';
import { IREE_PATTERNS } from './iree-patterns.js';

/** Files of the tree at `folder` that are needed, relative to it, in code-unit order. */
export function ireeFiles(folder: string): string[] {
  return globSync([...IREE_PATTERNS], { cwd: folder, dot: true, onlyFiles: true, expandDirectories: false }).sort(
    (a, b) => (a < b ? -1 : 1),
  );
}

/** Copies what is needed; returns the copied paths. */
export async function copyIreeTree(from: string, to: string): Promise<string[]> {
  const files = ireeFiles(from);
  const folders = new Set(files.map((file) => path.dirname(path.join(to, file))));
  for (const folder of [...folders].sort()) await mkdir(folder, { recursive: true });
  const limit = pLimit(32);
  // Times are kept, so that a build tree is not out of date only because the sources were copied again.
  const copy = (file: string) => cp(path.join(from, file), path.join(to, file), { preserveTimestamps: true });
  await Promise.all(files.map((file) => limit(() => copy(file))));
  return files;
}

/** Release of an IREE tree, e.g. `3.11.0`, from its version file (`3.11.0.dev` between releases); undefined if it has none. */
export async function ireeVersion(folder: string): Promise<string | undefined> {
  return (await writtenVersion(folder))?.replace(/\.dev\d*$/, '');
}

/** As the tree writes it: `3.11.0.dev`, or what was computed for its packages, as `3.11.0rc20260401`. */
export async function writtenVersion(folder: string): Promise<string | undefined> {
  for (const name of ['version_local.json', 'version.json']) {
    try {
      const text = await readFile(path.join(folder, 'runtime', name), 'utf8');
      const version = (JSON.parse(text) as { readonly 'package-version'?: unknown })['package-version'];
      if (typeof version === 'string' && /^\d+\.\d+/.test(version)) return version;
    } catch {
      // The other may tell.
    }
  }
  return undefined;
}
