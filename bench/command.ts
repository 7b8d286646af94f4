// SPDX-License-Identifier: Apache-2.0
/** The command lines of the benches. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import picocolors from 'picocolors';

import { renderFailure } from '../engine/events/render-failure.js';
import { EXIT_CODES, exitCodeOf, PipelineFailure } from '../engine/failure.js';
import { root } from './report.js';

/** Takes no arguments, and no options but `--help` and those that are added. `script`: `bench:growth`. */
export function benchCommand(script: string, description: string, examples = ''): Command {
  return new Command(`npm run ${script} --`)
    .usage('[options]')
    .description(description)
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .configureOutput({ getOutHelpWidth: () => 80, getErrHelpWidth: () => 80 })
    .exitOverride();
}

/** Parses an option that is a number above 0. */
export function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < 1e6)) throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}

/** Reads the command line and runs the bench; the process ends with the number that it returns, or with the code of its failure. */
export async function runBench(command: Command, run: (command: Command) => Promise<unknown>): Promise<void> {
  try {
    const code = await run(command.parse());
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : EXIT_CODES.usage;
    } else if (error instanceof PipelineFailure) {
      process.stderr.write(`${renderFailure(error.failure, { paint: picocolors, cwd: root }).join('\n')}\n`);
      process.exitCode = exitCodeOf(error.failure);
    } else {
      throw error;
    }
  }
}
