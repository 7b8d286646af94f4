// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:releases`: the plugin on two release lines of IREE, as both were last built, turn and turn about. Writes the
 * table in README.md, and dist/report/bench-releases.json for `npx pipeline run releases`.
 * `-- --help`: what else it can do.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';

import { ratioWord, TIMINGS_FILE, type TimingRow, type Timings } from '../stages/compare-releases/timings.js';
import { benchCommand, runBench } from './command.js';
import { cores, libraryOf, measuredHere, pluginEnv, root, writeTable } from './report.js';

interface Options {
  readonly before: string;
  readonly after: string;
}

const EXAMPLES = `
Examples:
  npm run bench:releases
  npm run bench:releases -- --before cpu-release --after cpu-tracing
What stands after another -- goes to releases/compare.py; the table is then
only printed.`;

async function measure(options: Options, args: readonly string[]): Promise<Timings> {
  const [before, after] = [await pluginEnv(options.before), await pluginEnv(options.after)];
  const script = path.join(import.meta.dirname, 'releases', 'compare.py');
  const side = async (variant: string, env: NodeJS.ProcessEnv): Promise<Timings['before']> => ({
    variant,
    iree: env['IREE_PJRT_IREE_VERSION'] ?? '',
    library: await libraryOf(env),
  });
  const { stdout } = await execa('taskset', ['-c', cores, 'python', script, ...args], {
    env: after,
    input: JSON.stringify({ before, after }),
    stderr: 'inherit',
  });
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TimingRow);
  return { before: await side(options.before, before), after: await side(options.after, after), rows };
}

function tableOf({ before, after, rows }: Timings): string[] {
  return [
    measuredHere(),
    '',
    `| | IREE ${before.iree} | IREE ${after.iree} | ratio | |`,
    '|---|---|---|---|---|',
    ...rows.map((row) => {
      const figures = [row.before, row.after].map((value) => `${value.toPrecision(3)} ${row.unit}`);
      return `| ${row.what} | ${figures.join(' | ')} | ${row.ratio.toFixed(2)} | ${ratioWord(row)} |`;
    }),
  ];
}

async function compare(options: Options, args: readonly string[]): Promise<void> {
  const timings = await measure(options, args);
  if (args.length > 0) {
    // A part is for looking, not for keeping.
    console.log(tableOf(timings).join('\n'));
    return;
  }
  const file = path.join(root, TIMINGS_FILE);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(timings, null, 2)}\n`);
  await writeTable('releases', tableOf(timings));
}

const command = benchCommand('bench:releases', 'Times the plugin on two release lines of IREE.', EXAMPLES)
  .allowExcessArguments()
  .option('--before <variant>', 'the line that is compared with', 'cpu-release-iree3.11')
  .option('--after <variant>', 'the line that is compared', 'cpu-release');
await runBench(command, () => compare(command.opts<Options>(), command.args));
