// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:compile`: how long programs compile on the plugin as it was last built and on XLA:CPU of the same jaxlib, and
 * in which phases and passes the plugin's time goes. `-- --help`: what else it can do.
 */
import path from 'node:path';
import { execa } from 'execa';

import { benchCommand, positive, runBench } from './command.js';
import { compileTable, compileText, type CompileRow } from './compilation/text.js';
import { cores, measuredHere, pluginEnv, writeTable } from './report.js';
import { variantOption, type VariantOption } from './rows.js';

interface Options extends VariantOption {
  readonly only?: string;
  readonly turns: number;
  readonly passes?: true;
  readonly json?: true;
}

const EXAMPLES = `
Examples:
  npm run bench:compile                        all programs; a table for the README
  npm run bench:compile -- --only fluid --passes   what our passes take, too
  npm run bench:compile -- --only trivial --json   for machines`;

const command = benchCommand('bench:compile', 'Times the compilation of programs, phase by phase.', EXAMPLES)
  .option('--only <regex>', 'programs whose name holds it: printed, nothing is written')
  .option('--turns <number>', 'compilations on each platform, the least of which counts', positive, 3)
  .option('--passes', "print what the plugin's own passes take, too")
  .option('--json', 'print JSON')
  .addOption(variantOption());

async function run(options: Options): Promise<number> {
  const script = path.join(import.meta.dirname, 'compilation', 'compare.py');
  const asked = ['--only', options.only ?? '', '--turns', String(Math.ceil(options.turns))];
  const compared = execa('taskset', ['-c', cores, 'python', script, ...asked], {
    env: await pluginEnv(options.variant),
    stderr: 'inherit',
    reject: false,
  });
  const rows: CompileRow[] = [];
  for await (const line of compared) {
    const row = JSON.parse(line) as CompileRow;
    rows.push(row);
    if (!options.json) console.log(compileText(row, options.passes ?? false).join('\n'));
  }
  const { exitCode = 1 } = await compared;
  if (exitCode !== 0) return exitCode;
  if (options.json) console.log(JSON.stringify(rows, undefined, 2));
  else if (options.only === undefined && options.variant === undefined) {
    await writeTable('compile', [measuredHere(), '', ...compileTable(rows)]);
  }
  return 0;
}

await runBench(command, () => run(command.opts<Options>()));
