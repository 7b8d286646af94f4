// SPDX-License-Identifier: Apache-2.0
/** What the benchmarks share: the environment of the last build's plugin, and the tables in README.md. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { $ } from 'zx';

export const root = path.join(import.meta.dirname, '..');

/** The environment in which Python finds JAX and the plugin of the last build. */
export async function pluginEnv(): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await $({ cwd: root, quiet: true })`node bin/pipeline.mjs env cpu --json`;
  return { ...process.env, ...(JSON.parse(stdout) as Record<string, string>) };
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
