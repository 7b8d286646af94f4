// SPDX-License-Identifier: Apache-2.0
import type { Event } from './event.js';
import { failureLines, Summary } from './summary.js';
import { cleanLine, duration } from './text.js';
import type { View, ViewOptions } from './view-options.js';

/** How much of a node's output is kept for its group; the log file has all of it. */
const GROUP_LINES = 2_000;
const PROGRESS_MS = 60_000;

/**
 * For CI logs and pipes: nothing is redrawn, and what belongs to a node stands together, written when it ends.
 * On GitHub Actions its output is a foldable group and a failure becomes an annotation.
 */
export function plainView(options: ViewOptions & { readonly github: boolean }): View {
  const view = new PlainView(options);
  const emit = (event: Event): void => {
    for (const line of view.linesFor(event)) options.write(`${line}\n`);
  };
  return { emit, close: () => Promise.resolve() };
}

class PlainView {
  readonly #options: ViewOptions & { readonly github: boolean };
  readonly #summary = new Summary();
  readonly #output = new Map<string, string[]>();
  /** When the last line about a node was written. */
  readonly #said = new Map<string, number>();

  constructor(options: ViewOptions & { readonly github: boolean }) {
    this.#options = options;
  }

  linesFor(event: Event): readonly string[] {
    const { paint, cwd } = this.#options;
    this.#summary.add(event);
    switch (event.type) {
      case 'waiting-for-lock':
        return [`waiting for another run in this checkout: ${event.holder}`];
      case 'node-started':
        this.#said.set(event.node, event.time);
        return [`${paint.dim('start')}    ${event.node}  ${paint.dim(reason(event.because))}`];
      case 'node-line':
        this.#keep(event.node, event.line);
        return [];
      case 'node-hit':
        return [`${paint.green('ok')}       ${event.node}  (${hitWord(event.source)})`];
      case 'node-finished':
        return this.#fold(event.node, `${paint.green('ok')}       ${event.node}  ${duration(event.durationMs)}`);
      case 'node-failed':
        return this.#failed(event);
      case 'node-skipped':
        return [`${paint.yellow('skipped')}  ${event.node}  (${event.because})`];
      case 'run-finished':
        return this.#summary.lines(paint, cwd, false);
      case 'node-progress':
        return this.#progress(event);
      case 'run-started':
      case 'run-warning':
      case 'node-warning':
      case 'node-text':
        return [];
    }
  }

  /** Long work gets a line a minute. */
  #progress({ node, time, text }: Extract<Event, { type: 'node-progress' }>): readonly string[] {
    if (time - (this.#said.get(node) ?? time) < PROGRESS_MS) return [];
    this.#said.set(node, time);
    return [`${this.#options.paint.dim('working')}  ${node}  ${cleanLine(text)}`];
  }

  #failed(event: Extract<Event, { type: 'node-failed' }>): readonly string[] {
    const { paint, cwd, github } = this.#options;
    const title = `${paint.red('failed')}   ${event.node}  ${duration(event.durationMs)}`;
    const lines = this.#fold(event.node, title);
    if (event.failure.kind === 'cancelled') return lines;
    const note = github ? [annotation(event.node, event.failure.message)] : [];
    return [...lines, ...note, ...failureLines(event, paint, cwd)];
  }

  #keep(node: string, line: string): void {
    if (!this.#options.github) return;
    const lines = this.#output.get(node) ?? [];
    if (lines.length < GROUP_LINES) lines.push(cleanLine(line));
    this.#output.set(node, lines);
  }

  #fold(node: string, title: string): readonly string[] {
    const lines = this.#output.get(node) ?? [];
    this.#output.delete(node);
    return lines.length === 0 ? [title] : [`::group::${title}`, ...lines, '::endgroup::'];
  }
}

export function hitWord(source: Extract<Event, { type: 'node-hit' }>['source']): string {
  return {
    unchanged: 'unchanged',
    'local-cache': 'from the cache',
    'remote-cache': 'from the shared cache',
    'handed-over': 'handed over',
  }[source];
}

function reason(because: readonly string[]): string {
  const [first, ...more] = because;
  if (first === undefined) return '';
  return `(${first}${more.length > 0 ? ` and ${more.length} more` : ''})`;
}

/** https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function annotation(title: string, message: string): string {
  const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::error title=${property(title)}::${data(message)}`;
}
