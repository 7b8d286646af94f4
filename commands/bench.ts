// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suggest } from '../engine/base/nearest.js';
import { fail } from '../engine/failure.js';
import { runCommand } from '../engine/machine/process.js';
import { cancelOnSignals } from '../engine/machine/signals.js';
import { ANY_EXIT_CODE } from '../stages/lib/exit-codes.js';
import { type CommandContext, openProject } from './context.js';

const PREFIX = 'bench:';

/** Runs the script `bench:NAME` of the project's package.json with what follows; its exit code is ours. */
export async function run(
  context: CommandContext,
  [name = '', ...words]: readonly (string | undefined)[],
): Promise<number> {
  const { root } = await openProject(context);
  const names = await benchesOf(root);
  if (!names.includes(name)) {
    fail({ kind: 'usage', message: `there is no bench '${name}'`, help: suggest(name, names, 'there are') ?? '' });
  }
  const cancellation = cancelOnSignals();
  try {
    const { exitCode } = await runCommand({
      command: 'npm',
      args: ['run', '--silent', PREFIX + name, '--', ...words.filter((word) => word !== undefined)],
      cwd: root,
      env: context.env,
      // It says itself what is wrong.
      options: { okCodes: ANY_EXIT_CODE },
      signal: cancellation.signal,
      onLine: (stream, line) => context[stream].write(`${line}\n`),
    });
    return exitCode;
  } finally {
    cancellation.dispose();
  }
}

async function benchesOf(root: string): Promise<string[]> {
  const { scripts = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>;
  };
  return Object.keys(scripts)
    .filter((script) => script.startsWith(PREFIX))
    .map((script) => script.slice(PREFIX.length));
}
