// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:growth`: operations of JAX at growing sizes, on the plugin as it was last built and on XLA:CPU of the same
 * jaxlib, turn and turn about. Writes growth.md, growth.html and growth.json beside this file. `-- --help`: what else it can do.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { format, resolveConfig } from 'prettier';

import { EXIT_CODES, fail } from '../engine/failure.js';
import { benchCommand, positive, runBench } from './command.js';
import type { Listed, Table } from './growth/cell.js';
import { countText } from './growth/figures.js';
import { envsOf, listed, measured, type Listing } from './growth/measure.js';
import { renderMarkdown } from './growth/markdown.js';
import { renderPage } from './growth/page.js';
import { selected } from './growth/select.js';
import { MASKED_PROCESSOR } from './growth/masked.js';
import { checkText, summaryText } from './growth/summary.js';
import { formatTable, parseTable } from './growth/table.js';
import { cores, libraryOf, root } from './report.js';

interface Options {
  readonly only?: string;
  readonly sizes?: string[];
  readonly dtypes?: string[];
  readonly variant?: string;
  readonly withoutAvx512?: true;
  readonly seconds: number;
  readonly limit: number;
  readonly list?: true;
  readonly check?: true;
  readonly resume?: true;
  readonly render?: true;
}

const EXAMPLES = `
Examples:
  npm run bench:growth                          the whole table, about an hour
  npm run bench:growth -- --resume              go on with a run that was ended
  npm run bench:growth -- --only softmax        a part: printed, and kept in
                                                .pipeline/growth/
  npm run bench:growth -- --only '^sorting/sort' --dtypes f32,i32 --sizes 1000
  npm run bench:growth -- --without-avx512      as most people's processors are
  npm run bench:growth -- --render --check      judge what was measured`;

function makeCommand(): Command {
  return benchCommand(
    'bench:growth',
    'Times operations of JAX at growing sizes, on the plugin and on XLA:CPU.',
    EXAMPLES,
  )
    .option('--only <regex>', "cells whose name holds it: 'neural/softmax.grad/f32/1024'")
    .option('--sizes <list>', 'cells of these sizes, as 1000,10000', list)
    .option('--dtypes <list>', 'cells of these dtypes, as f32,bf16', list)
    .option('--list', 'print the names of the cells, and measure nothing')
    .option('--check', 'end with 1 if a cell fails, is wrong or is over a bound')
    .option('--resume', 'go on with the run that was ended, of the same library')
    .option('--render', 'write the pages anew from what was measured')
    .option('--variant <name>', 'another variant of the plugin', undefined)
    .option('--without-avx512', 'hide AVX-512 and AMX from both platforms (Linux on Intel)')
    .option('--seconds <number>', 'how long each side of a cell is timed', positive, 0.2)
    .option('--limit <seconds>', 'how long a step of a cell may take', positive, 30);
}

function list(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}

function heldTo(withoutAvx512: true | undefined): string {
  return withoutAvx512 ? MASKED_PROCESSOR : '';
}

/** Where a table lies, without its ending. Only a whole one of what is released stands beside this file. */
function placeOf({ withoutAvx512, variant }: Options, part: boolean): string {
  const name = ['growth', variant, heldTo(withoutAvx512)].filter(Boolean).join('-');
  if (!part && variant === undefined) return path.join(root, 'bench', name);
  return path.join(root, '.pipeline', 'growth', part ? `${name}-part` : name);
}

async function write(place: string, table: Table): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true });
  await writeFile(`${place}.json`, formatTable(table));
  await writeFile(`${place}.md`, await formatted(renderMarkdown(table), `${place}.md`));
  await writeFile(`${place}.html`, await renderPage(table));
}

/** As `npm run format` leaves it. */
async function formatted(text: string, filepath: string): Promise<string> {
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}

async function stored(place: string): Promise<Table> {
  const text = await readFile(`${place}.json`, 'utf8').catch(() =>
    fail({
      kind: 'usage',
      message: `there is no ${path.relative(root, place)}.json`,
      help: 'measure first: leave --render out',
    }),
  );
  return parseTable(text);
}

/** The new table; undefined if the run was ended. */
async function measure(options: Options, found: Found, resultsFile: string): Promise<Table | undefined> {
  const { variant = 'cpu-release', seconds, limit, resume = false } = options;
  const targetCpu = heldTo(options.withoutAvx512);
  const { envs, jaxlib } = found;
  const library = await libraryOf(envs.ours);
  const key = [library, jaxlib, targetCpu].join(' ');
  const cells = await measured({ cells: found.cells, envs, file: resultsFile, key, resume, seconds, limit });
  if (cells === undefined) return undefined;
  const [cpu] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpu?.model.trim() ?? 'unknown',
    avx512: /\bavx512f\b/.test(await readFile('/proc/cpuinfo', 'utf8')),
    ...{ cores, jaxlib, iree: envs.ours['IREE_PJRT_IREE_VERSION'] ?? '', variant, library, targetCpu },
    cells,
  };
}

interface Found extends Listing {
  readonly envs: Awaited<ReturnType<typeof envsOf>>;
  readonly cells: readonly Listed[];
}

async function run(options: Options): Promise<number> {
  const part = [options.only, options.sizes, options.dtypes].some((value) => value !== undefined);
  if (options.render) {
    const table = await stored(placeOf(options, false));
    if (!part) await write(placeOf(options, false), table);
    return told({ ...table, cells: selected(table.cells, options) }, options);
  }
  const envs = await envsOf(options.variant, options.withoutAvx512 ?? false);
  const listing = await listed(envs);
  const cells = selected(listing.cells, options);
  if (options.list) {
    console.log(cells.map(({ id }) => id).join('\n'));
    process.stderr.write(`${countText(cells.length)} cells\n`);
    return 0;
  }
  const place = placeOf(options, part);
  const rows = path.join(root, '.pipeline', 'growth', `${path.basename(place)}.jsonl`);
  const table = await measure(options, { ...listing, envs, cells }, rows);
  if (!table) {
    process.stderr.write('Ended; the same command with --resume goes on where it stopped.\n');
    return EXIT_CODES.cancelled;
  }
  await write(place, table);
  const code = told(table, options);
  console.log(`${path.relative(root, place)}.md, .html, .json`);
  return code;
}

/** Prints the summary, or with --check every bound that is violated; gives the exit code. */
function told(table: Table, { check }: Options): number {
  console.log(summaryText(table));
  if (!check) return 0;
  const text = checkText(table);
  console.log(text === '' ? 'No bound is violated.' : text);
  return text === '' ? 0 : 1;
}

await runBench(makeCommand(), (command) => run(command.opts<Options>()));
