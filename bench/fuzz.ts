// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:fuzz`: ten minutes of damaged inputs for the plugin as it was last built and tested
 * (`npx pipeline run check --only test-native`), spread over the targets of native/fuzz, and the table in README.md.
 * FUZZ_SECONDS gives the whole another length, FUZZ_FIRST the number of the first input. What crashed is kept in
 * .pipeline/fuzz/.
 */
import path from 'node:path';
import { $, globby } from 'zx';

import { pluginEnv, root, writeTable } from './report.js';

/** The share of the time that each target gets. */
const TARGETS = { program: 0.5, module: 0.2, options: 0.1, serialized: 0.05, fields: 0.05, buffer: 0.1 };
const FIGURES = /(\d+) inputs, (\d+) taken, (\d+) crashes in (\d+) places, (\d+) without end/;
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 600);
const first = process.env['FUZZ_FIRST'] ?? '0';

const [program] = await globby('.pipeline/work/native@cpu-release/*/build/fuzz/fuzz_plugin', {
  cwd: root,
  absolute: true,
});
if (!program) throw new Error('no fuzz_plugin: run `npx pipeline run check --only test-native` first');
const plugin = path.join(path.dirname(program), '..', 'pjrt_plugin_iree_cpu.so');
// An input may take 60 s; a helper that is ended earlier is an error of its program.
const env = { ...(await pluginEnv()), IREE_PJRT_CACHE_SIZE: '0', IREE_PJRT_COMPILE_TIMEOUT: '30' };

async function rowOf(target: string, part: number): Promise<string> {
  const found = path.join(root, '.pipeline', 'fuzz', target);
  const seeds = path.join(root, 'native', 'fuzz', 'seeds');
  const length = Math.round(part * seconds);
  const run = await $({
    env,
    nothrow: true,
    quiet: true,
  })`${program} ${plugin} ${seeds} run ${target} ${length} ${found} ${first}`;
  console.log(run.stdout.trim());
  const figures = FIGURES.exec(run.stdout);
  if (!figures) throw new Error(`fuzz_plugin ended with ${run.exitCode}: ${run.stderr}`);
  return `| \`${target}\` | ${length} | ${figures.slice(1).join(' | ')} |`;
}

const rows = [];
for (const [target, part] of Object.entries(TARGETS)) rows.push(await rowOf(target, part));
await writeTable('fuzz', [
  `One run, ${new Date().toISOString().slice(0, 10)}.`,
  '',
  '| target | seconds | inputs | taken | crashes | in places | without end |',
  '|---|---|---|---|---|---|---|',
  ...rows,
]);
