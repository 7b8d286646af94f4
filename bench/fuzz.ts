// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:fuzz`: ten minutes of damaged inputs for the plugin as it was last built and tested
 * (`npx pipeline run check --only test-native`), spread over the targets of native/fuzz, and the table in README.md.
 * What crashed is kept in .pipeline/fuzz/. `-- --help`: what else it can do.
 */
import path from 'node:path';
import { $, globby } from 'zx';

import { fail } from '../engine/failure.js';
import { benchCommand, runBench } from './command.js';
import { pluginEnv, root, writeTable } from './report.js';

/** The share of the time that each target gets. */
const TARGETS = { program: 0.5, module: 0.2, options: 0.1, serialized: 0.05, fields: 0.05, buffer: 0.1 };
const FIGURES = /(\d+) inputs, (\d+) taken, (\d+) crashes in (\d+) places, (\d+) without end/;

/** What runs the inputs, and the plugin beside it. */
interface Built {
  readonly program: string;
  readonly plugin: string;
  readonly env: NodeJS.ProcessEnv;
}

async function built(): Promise<Built> {
  const [program] = await globby('.pipeline/work/native@cpu-release/*/build/fuzz/fuzz_plugin', {
    cwd: root,
    absolute: true,
  });
  if (!program)
    return fail({
      kind: 'tool-missing',
      message: 'there is no fuzz_plugin',
      help: 'npx pipeline run check --only test-native',
    });
  // An input may take 60 s; a helper that is ended earlier is an error of its program.
  const env = { ...(await pluginEnv()), IREE_PJRT_CACHE_SIZE: '0', IREE_PJRT_COMPILE_TIMEOUT: '30' };
  return { program, plugin: path.join(path.dirname(program), '..', 'pjrt_plugin_iree_cpu.so'), env };
}

async function rowOf({ program, plugin, env }: Built, target: string, length: number, first: string): Promise<string> {
  const found = path.join(root, '.pipeline', 'fuzz', target);
  const seeds = path.join(root, 'native', 'fuzz', 'seeds');
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

async function fuzz(): Promise<void> {
  const seconds = Number(process.env['FUZZ_SECONDS'] ?? 600);
  const first = process.env['FUZZ_FIRST'] ?? '0';
  const what = await built();
  const rows = [];
  for (const [target, part] of Object.entries(TARGETS))
    rows.push(await rowOf(what, target, Math.round(part * seconds), first));
  await writeTable('fuzz', [
    `One run, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    '| target | seconds | inputs | taken | crashes | in places | without end |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ]);
}

const EXAMPLES = `
Examples:
  npm run bench:fuzz                            ten minutes
  FUZZ_SECONDS=3600 FUZZ_FIRST=7000 npm run bench:fuzz
                                                an hour, from another input on`;

await runBench(benchCommand('bench:fuzz', 'Damaged inputs for the plugin as it was last tested.', EXAMPLES), fuzz);
