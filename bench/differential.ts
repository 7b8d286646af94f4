// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:differential`: random programs on the plugin as it was last built and on XLA:CPU of the same jaxlib, in search of
 * wrong numbers, crashes and what does not compile. Writes differential.md beside this file. `-- --help`: what else it can do.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { execa } from 'execa';
import { format, resolveConfig } from 'prettier';

import { count } from '../engine/events/text.js';
import { EXIT_CODES } from '../engine/failure.js';
import { CONFORMANCE } from '../stages/lib/testing/conformance.js';
import { benchCommand, positive, runBench } from './command.js';
import { Progress } from './differential/progress.js';
import { renderMarkdown } from './differential/markdown.js';
import { Tally, type Report } from './differential/tally.js';
import { cores, libraryOf, pluginEnv, root } from './report.js';
import { variantOption, type VariantOption } from './rows.js';

interface Options extends VariantOption {
  readonly seconds: number;
  readonly seed: number;
  readonly limit: number;
}

const EXAMPLES = `
Examples:
  npm run bench:differential                    an hour
  npm run bench:differential -- --seconds 300 --seed 7000
Ends with 1 if a program failed; the failure is shrunk, and printed as Python that can be run as it is.`;

function makeCommand(): Command {
  return benchCommand(
    'bench:differential',
    'Looks for programs whose results differ from XLA:CPU, random ones.',
    EXAMPLES,
  )
    .option('--seconds <number>', 'how long to look', positive, 3600)
    .option('--seed <number>', 'the first round of programs; the next has the next', whole, 0)
    .option('--limit <seconds>', 'how long a program may take', positive, 90)
    .addOption(variantOption());
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

async function search({ seconds, seed, limit, variant }: Options): Promise<Tally | undefined> {
  const env = await pluginEnv(variant);
  const library = await libraryOf(env);
  const platform = (env['PJRT_NAMES_AND_LIBRARY_PATHS'] ?? '').split(':')[0] ?? '';
  const tally = new Tally({ seconds, seed, library, date: new Date().toISOString().slice(0, 10) });
  const progress = new Progress(seconds, process.stderr);
  // No shell starts Python (see rows.ts).
  const command = ['-c', cores, 'python', '-m', 'differential.search', platform, seconds, seed, limit].map(String);
  const run = execa('taskset', command, {
    env: {
      ...env,
      JAX_ENABLE_COMPILATION_CACHE: '0',
      IREE_PJRT_CACHE_SIZE: '0',
      PYTHONPATH: [path.join(root, CONFORMANCE), env['PYTHONPATH'] ?? ''].join(path.delimiter),
    },
    stderr: 'inherit',
    buffer: false,
    reject: false,
  });
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      ended.abort();
      run.kill('SIGINT');
    });
  for await (const line of run) {
    const report = JSON.parse(line) as Report;
    tally.add(report);
    progress.show(tally);
    if (report.what === 'finding') progress.print(`${report.kind}: ${report.message}\n\n${report.source}`);
  }
  progress.end();
  const { exitCode } = await run;
  if (ended.signal.aborted) return undefined;
  if (exitCode !== 0) throw new Error(`differential.search ended with ${exitCode ?? 'a signal'}`);
  return tally;
}

async function main(options: Options): Promise<number> {
  const tally = await search(options);
  if (!tally) return EXIT_CODES.cancelled;
  console.log(
    `${count(tally.programs, 'program')}, ${count(tally.findings.length, 'finding')}, ${count(tally.again, 'time')} again`,
  );
  if (options.variant === undefined) {
    const file = path.join(root, 'bench', 'differential.md');
    const text = renderMarkdown(tally);
    await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
    console.log(path.relative(root, file));
  }
  return tally.findings.length === 0 ? 0 : 1;
}

await runBench(makeCommand(), (command) => main(command.opts<Options>()));
