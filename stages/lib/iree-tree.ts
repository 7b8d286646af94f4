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
  try {
    const text = await readFile(path.join(folder, 'runtime', 'version.json'), 'utf8');
    const version = (JSON.parse(text) as { readonly 'package-version'?: string })['package-version'];
    return version?.replace(/\.dev\d*$/, '');
  } catch {
    return undefined;
  }
}
