// SPDX-License-Identifier: Apache-2.0
/** Programs that an upgrade starts: git, and this pipeline in the copy of the project. */
import fs from 'node:fs';
import path from 'node:path';
import type { ExecOptions, ExecResult } from '../../engine/api.js';
import type { Event } from '../../engine/events/event.js';
import type { Failure } from '../../engine/failure.js';
import { runCommand } from '../../engine/machine/process.js';
import type { CommandContext } from '../context.js';

export type Exec = (command: string, args: readonly string[], options?: ExecOptions) => Promise<ExecResult>;

export function makeExec(context: CommandContext, signal: AbortSignal, onLine: (line: string) => void): Exec {
  return (command, args, options = {}) =>
    runCommand({
      command,
      args,
      cwd: options.cwd ?? context.folder,
      env: { ...context.env, ...options.env },
      options: { echo: false, ...options },
      signal,
      onLine: (stream, line) => {
        if (stream === 'stdout') onLine(line);
      },
    });
}

export interface StageEnd {
  readonly node: string;
  readonly result: 'ok' | 'failed' | 'skipped';
  /** Seconds; 0 for a stage whose result was there. */
  readonly seconds: number;
  readonly failure?: Failure;
  /** All that the stage's programs printed, if it failed. */
  readonly log?: string;
}

const CODES = Array.from({ length: 256 }, (_, code) => code);

/** Runs a pipeline in `root`, and prints a line as each stage ends. A stage that fails is part of the answer. */
export async function runStages(
  exec: Exec,
  context: CommandContext,
  root: string,
  args: readonly string[],
): Promise<readonly StageEnd[]> {
  const { stdout } = await exec(
    process.execPath,
    [path.join(context.home, 'bin', 'pipeline.mjs'), '-C', root, 'run', ...args, '--json'],
    { echo: true, okCodes: CODES },
  );
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => endOf(JSON.parse(line) as Event, root));
}

function endOf(event: Event, root: string): StageEnd[] {
  if (event.type === 'node-hit') return [{ node: event.node, result: 'ok', seconds: 0 }];
  if (event.type === 'node-skipped') return [{ node: event.node, result: 'skipped', seconds: 0 }];
  if (event.type === 'node-finished') return [{ node: event.node, result: 'ok', seconds: event.durationMs / 1000 }];
  if (event.type !== 'node-failed') return [];
  const { node, failure } = event;
  const file = path.resolve(root, event.log);
  const log = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  return [{ node, result: 'failed', seconds: event.durationMs / 1000, failure, log }];
}

/** One line of a run's events, if it is worth one. */
export function progressOf(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const event = JSON.parse(line) as Event;
  if (event.type === 'node-started') return `start    ${event.node}`;
  if (event.type === 'node-finished') return `ok       ${event.node}  ${Math.round(event.durationMs / 1000)} s`;
  if (event.type === 'node-failed') return `failed   ${event.node}  ${event.failure.message}`;
  return undefined;
}
