// SPDX-License-Identifier: Apache-2.0
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import prettyBytes from 'pretty-bytes';
import { acquireRunLock } from '../engine/run/run-lock.js';
import { type CommandContext, findRoot, print } from './context.js';
import type { Options } from './options.js';

/** Removes the state folder: caches, build trees, environments, logs. What was published (dist/, the lock) stays. */
export async function run(
  context: CommandContext,
  _: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const folder = join(findRoot(context.folder), '.pipeline');
  const entries = await readdir(folder).catch(() => []);
  if (entries.length === 0) {
    print(context, 'there is nothing to remove');
    return 0;
  }
  const sizes = await Promise.all(entries.map((entry) => sizeOf(join(folder, entry))));
  const total = prettyBytes(sizes.reduce((sum, size) => sum + size, 0));
  entries.forEach((entry, index) => {
    print(context, `  ${prettyBytes(sizes[index] ?? 0).padStart(8)}  .pipeline/${entry}`);
  });
  if (options.flag('dryRun')) {
    print(context, `would free ${total}`);
    return 0;
  }
  // A run may be at work: it holds the lock, whose own file goes with the folder.
  const lock = await acquireRunLock(folder, {
    noWait: true,
    signal: new AbortController().signal,
    onWait: () => undefined,
  });
  // Renamed first: a run that starts meanwhile finds no half of it.
  const doomed = `${folder}.removed-${process.pid}`;
  await rename(folder, doomed).finally(() => {
    lock.release();
  });
  await rm(doomed, { recursive: true, force: true, maxRetries: 3 });
  print(context, `freed ${total}`);
  return 0;
}

async function sizeOf(path: string): Promise<number> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat) return 0;
  // A hard link to a shared store frees its space only with its last name: it counts as nothing.
  if (!stat.isDirectory()) return stat.nlink > 1 ? 0 : stat.blocks * 512;
  const names = await readdir(path).catch(() => []);
  let total = stat.blocks * 512;
  for (const name of names) total += await sizeOf(join(path, name));
  return total;
}
