// SPDX-License-Identifier: Apache-2.0
/** What the benchmarks share: the environment of the last build's plugin, and the tables in README.md. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { glob } from 'tinyglobby';
import { $ } from 'zx';
import { sha256File } from '../stages/lib/hash.js';

export const root = path.join(import.meta.dirname, '..');

/** Folders of what the scripts share, as PYTHONPATH has them. */
export const scripts = [import.meta.dirname, path.join(import.meta.dirname, 'plugin')].join(path.delimiter);

/** The environment in which Python finds JAX, the plugin as a variant of it was last built, and what the scripts share. */
export async function pluginEnv(variant = 'cpu'): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await $({ cwd: root, quiet: true })`node bin/pipeline.mjs env ${variant} --json`;
  const env = { ...process.env, ...(JSON.parse(stdout) as Record<string, string>) };
  await warnIfOlder(libraryFile(env));
  return { ...env, PYTHONPATH: [scripts, env['PYTHONPATH'] ?? ''].join(path.delimiter) };
}

/** sha256 of the plugin's library that an environment loads. */
export async function libraryOf(env: NodeJS.ProcessEnv): Promise<string> {
  return sha256File(libraryFile(env));
}

function libraryFile(env: NodeJS.ProcessEnv): string {
  return (env['PJRT_NAMES_AND_LIBRARY_PATHS'] ?? '').split(':')[1] ?? '';
}

/** Only the pipeline puts a library where it is found: of an hour's measurements, better before than after. */
async function warnIfOlder(library: string): Promise<void> {
  const built = (await stat(library)).mtimeMs;
  for (const file of await glob('native/src/**/*.{cc,h}', { cwd: root, absolute: true })) {
    if ((await stat(file)).mtimeMs <= built) continue;
    const name = path.relative(root, file);
    process.stderr.write(`warning: the library is older than ${name}: npx pipeline run --only build-native\n`);
    return;
  }
}

/** Cores that what is measured is pinned to: BENCH_CORES, default 0,1. */
export const cores = process.env['BENCH_CORES'] ?? '0,1';

/** Where and when a table was measured. */
export function measuredHere(): string {
  const [cpu] = cpus();
  return (
    `One run pinned to the cores ${cores} of ${availableParallelism()} (${cpu?.model.trim() ?? 'unknown'}), ` +
    `${new Date().toISOString().slice(0, 10)}; the least of interleaved turns.`
  );
}

/**
 * Prints the lines and puts them into README.md between `<!-- name -->` and `<!-- /name -->`; throws if README.md has
 * no such marks.
 */
export async function writeTable(name: string, lines: readonly string[]): Promise<void> {
  const readme = path.join(import.meta.dirname, 'README.md');
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const text = await readFile(readme, 'utf8');
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${readme} has no place for the table: ${start} … ${end}`);
  const table = [start, '', ...lines, '', ''].join('\n');
  console.log(table);
  await writeFile(readme, text.slice(0, from) + table + text.slice(to));
}
