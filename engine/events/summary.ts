// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import type { Event } from './event.js';
import { renderFailure } from './render-failure.js';
import { count, duration, type Paint } from './text.js';

type Of<T extends Event['type']> = Extract<Event, { readonly type: T }>;

/** Gathers what is said at the end of a run. */
export class Summary {
  readonly #warnings: Of<'node-warning' | 'run-warning'>[] = [];
  readonly #failures: Of<'node-failed'>[] = [];
  readonly #published: string[] = [];
  readonly #texts: string[] = [];
  #restored = 0;
  #end: Of<'run-finished'> | undefined;

  add(event: Event): void {
    if (event.type === 'node-warning' || event.type === 'run-warning') this.#warnings.push(event);
    else if (event.type === 'node-text') this.#texts.push(event.text);
    else if (event.type === 'node-failed') this.#failures.push(event);
    else if (event.type === 'node-finished') this.#published.push(...event.published);
    else if (event.type === 'node-hit' && event.source !== 'unchanged') this.#restored += 1;
    else if (event.type === 'run-finished') this.#end = event;
  }

  /** Texts of the nodes, warnings, failures with what to try, and the closing line. `withFailures` false: they were shown before. */
  lines(paint: Paint, cwd: string, withFailures = true): string[] {
    const lines = this.#texts.flatMap((text) => [...text.trimEnd().split('\n'), '']);
    const about = (event: Event): string => ('node' in event ? `${paint.bold(event.node)}: ` : '');
    const warnings = this.#warnings.map((event) => `${paint.yellow('warning:')} ${about(event)}${event.text}`);
    lines.push(...warnings);
    // A cancelled run is one fact, however many nodes it ended.
    for (const event of withFailures ? this.#failures.filter((f) => f.failure.kind !== 'cancelled') : [])
      lines.push('', ...failureLines(event, paint, cwd));
    const closing = this.#closing(paint);
    if (closing !== undefined) lines.push(...((lines.at(-1) ?? '') !== '' ? [''] : []), closing);
    const made = this.#published.filter((file, index, all) => all.indexOf(file) === index && fs.existsSync(file));
    lines.push(...made.map((file) => `  ${file}`));
    return lines;
  }

  #closing(paint: Paint): string | undefined {
    if (this.#end === undefined) return undefined;
    const { ok, ran, hits, skipped, durationMs } = this.#end;
    const time = `(${duration(durationMs)})`;
    if (ok && ran === 0 && this.#restored === 0)
      return `${paint.green('Nothing to do:')} ${count(hits, 'stage')} unchanged ${time}`;
    const unchanged = hits - this.#restored;
    const cancelled = this.#failures.find(({ failure }) => failure.kind === 'cancelled');
    const lost = this.#failures.filter(({ failure }) => failure.kind !== 'cancelled').length;
    const parts = [
      ...(lost > 0 ? [`${lost} failed`] : []),
      ...(skipped > 0 && cancelled === undefined ? [`${skipped} skipped`] : []),
      ...(ran > 0 ? [`${count(ran, 'stage')} ran`] : []),
      ...(this.#restored > 0 ? [`${this.#restored} restored from the cache`] : []),
      ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
    ];
    const word = ok
      ? paint.green('Done:')
      : cancelled !== undefined
        ? paint.red(`${cancelled.failure.message}:`)
        : paint.red('Failed:');
    return `${word} ${parts.join(', ') || 'nothing was made'} ${time}`;
  }
}

export function failureLines(event: Of<'node-failed'>, paint: Paint, cwd: string): string[] {
  const log = fs.existsSync(event.log) ? { log: event.log } : {};
  return renderFailure(event.failure, { paint, cwd, node: event.node, ...log });
}
