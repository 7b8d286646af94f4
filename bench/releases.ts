// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:releases`: the plugin on two release lines of IREE, as both were last built, turn and turn about. Writes the
 * table in README.md, and dist/report/bench-releases.json for `npx pipeline run releases`.
 * `-- --before VARIANT --after VARIANT`: other variants. What stands after another `--` goes to releases/compare.py, and the table
 * is then only printed.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';

import { ratioWord, TIMINGS_FILE, type TimingRow, type Timings } from '../stages/compare-releases/timings.js';
import { cores, libraryOf, measuredHere, pluginEnv, root, writeTable } from './report.js';

const { values, positionals } = parseArgs({
  options: {
    before: { type: 'string', default: 'cpu-release-iree3.11' },
    after: { type: 'string', default: 'cpu-release' },
  },
  allowPositionals: true,
});

async function measure(): Promise<Timings> {
  const [before, after] = [await pluginEnv(values.before), await pluginEnv(values.after)];
  const script = path.join(import.meta.dirname, 'releases', 'compare.py');
  const side = async (variant: string, env: NodeJS.ProcessEnv): Promise<Timings['before']> => ({
    variant,
    iree: env['IREE_PJRT_IREE_VERSION'] ?? '',
    library: await libraryOf(env),
  });
  const { stdout } = await execa('taskset', ['-c', cores, 'python', script, ...positionals], {
    env: after,
    input: JSON.stringify({ before, after }),
    stderr: 'inherit',
  });
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TimingRow);
  return { before: await side(values.before, before), after: await side(values.after, after), rows };
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

const timings = await measure();
if (positionals.length > 0) {
  // A part is for looking, not for keeping.
  console.log(tableOf(timings).join('\n'));
} else {
  const file = path.join(root, TIMINGS_FILE);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(timings, null, 2)}\n`);
  await writeTable('releases', tableOf(timings));
}
