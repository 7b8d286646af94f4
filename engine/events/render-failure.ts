// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import { formatDiagnostics } from '../diagnostic.js';
import type { Failure } from '../failure.js';
import { cleanLine, PLAIN, type Paint } from './text.js';

export interface RenderOptions {
  /** Paths below it are shown relative. */
  readonly cwd?: string;
  readonly paint?: Paint;
  /** Name of the node, put before the message. */
  readonly node?: string;
  /** Log of the node, shown if the failure itself names none. */
  readonly log?: string;
}

/** A failure for people: what happened, the last lines or the details, where the log is, what to try. */
export function renderFailure(failure: Failure, options: RenderOptions = {}): string[] {
  const paint = options.paint ?? PLAIN;
  const subject = options.node === undefined || options.node === '' ? '' : `${paint.bold(options.node)}: `;
  const lines = [`${paint.red('error:')} ${subject}${failure.message}`];
  if (failure.kind === 'config') lines.push(...formatDiagnostics(failure.diagnostics, paint));
  lines.push(...details(failure).map((line) => `  ${paint.dim('|')} ${line}`));
  if (failure.kind === 'command') lines.push(`  ${paint.cyan('command:')} ${shortened(failure.command)}`);
  const log = failure.kind === 'command' ? (failure.log ?? options.log) : options.log;
  if (log !== undefined && failure.kind !== 'cancelled')
    lines.push(`  ${paint.cyan('log:')} ${shortPath(log, options.cwd ?? process.cwd())}`);
  if ('help' in failure)
    lines.push(
      ...failure.help
        .split('\n')
        .map((line, index) => (index === 0 ? `  ${paint.cyan('try:')} ${line}` : `       ${line}`)),
    );
  return lines;
}

/** A compiler's command line may be thousands of characters long; the log has all of it. */
const LONG = 240;

function shortened(command: string): string {
  return command.length <= LONG ? command : `${command.slice(0, LONG)} …`;
}

function details(failure: Failure): string[] {
  switch (failure.kind) {
    case 'command':
      return failure.tail.map(cleanLine);
    case 'integrity':
      return [`file    ${failure.file}`, `wanted  ${failure.wanted}`, `found   ${failure.found}`];
    case 'resolution':
    case 'test':
    case 'lock':
    case 'network':
      return failure.detail === undefined || failure.detail === '' ? [] : failure.detail.trimEnd().split('\n');
    case 'usage':
    case 'config':
    case 'tool-missing':
    case 'disk':
    case 'busy':
    case 'timeout':
    case 'cancelled':
      return [];
  }
}

/** Relative if that is shorter and inside `cwd`. */
export function shortPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
