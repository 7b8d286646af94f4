// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { runCommand } from '../engine/machine/process.js';
import { cancelOnSignals } from '../engine/machine/signals.js';
import type { CommandContext } from './context.js';

/** The JSON that a script below commands/ prints; fails as `runCommand` does. */
export async function askPython<T>(
  context: CommandContext,
  question: {
    readonly python: string;
    /** Path below commands/. */
    readonly script: string;
    readonly args: readonly string[];
    readonly timeoutMs: number;
  },
): Promise<T> {
  const cancellation = cancelOnSignals();
  try {
    const { stdout } = await runCommand({
      command: question.python,
      args: [join(context.home, 'commands', question.script), ...question.args],
      cwd: context.cwd,
      env: context.env,
      options: { echo: false, timeoutMs: question.timeoutMs },
      signal: cancellation.signal,
      onLine: () => undefined,
    });
    return JSON.parse(stdout) as T;
  } finally {
    cancellation.dispose();
  }
}
