// SPDX-License-Identifier: Apache-2.0
import type * as Listr2 from 'listr2';
import type { Event } from './event.js';
import { hitWord } from './plain.js';
import { Summary } from './summary.js';
import { cleanLine, duration } from './text.js';
import type { View, ViewOptions } from './view-options.js';

type Wrapper = Listr2.ListrTaskWrapper<unknown, never, never>;

const TICK_MS = 500;

/** One line of the live view. */
interface Row {
  readonly node: string;
  readonly title: string;
  state: 'waiting' | 'running' | 'done' | 'failed' | 'skipped';
  startedAt: number;
  /** What stands behind the title: last line of output, how it ended. */
  note: string;
  wrapper?: Wrapper;
  /** Shows the spinner. */
  start?: () => void;
  end?: (error?: Error) => void;
}

/**
 * The live view: one line per node, redrawn by listr2. Its tasks do no work; each is settled by the event that
 * ends its node. listr2 is loaded when the first node runs, so that a run with nothing to do never pays for it.
 */
export function terminalView(options: ViewOptions): View {
  const view = new TerminalView(options);
  return {
    emit: (event) => {
      view.emit(event);
    },
    close: () => view.close(),
  };
}

class TerminalView {
  readonly #options: ViewOptions;
  readonly #summary = new Summary();
  readonly #rows = new Map<string, Row>();
  #drawing: Promise<void> | undefined;
  #ticker: NodeJS.Timeout | undefined;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  emit(event: Event): void {
    this.#summary.add(event);
    if (event.type === 'run-started')
      for (const { id, title } of event.nodes)
        this.#rows.set(id, { node: id, title, state: 'waiting', startedAt: 0, note: '' });
    if (event.type === 'waiting-for-lock')
      this.#options.write(`Waiting for another run in this checkout: ${event.holder}\n`);
    const row = 'node' in event ? this.#rows.get(event.node) : undefined;
    if (row !== undefined) this.#update(row, event);
  }

  async close(): Promise<void> {
    for (const row of this.#rows.values()) row.end?.();
    await this.#drawing;
    clearInterval(this.#ticker);
    const lines = this.#summary.lines(this.#options.paint, this.#options.cwd);
    if (lines.length > 0) this.#options.write(`${lines.join('\n')}\n`);
  }

  #update(row: Row, event: Event): void {
    const { paint } = this.#options;
    switch (event.type) {
      case 'node-started':
        row.state = 'running';
        row.startedAt = event.time;
        row.start?.();
        this.#drawing ??= this.#draw();
        break;
      case 'node-line':
        if (event.line.trim() === '') return;
        row.note = paint.dim(cleanLine(event.line).trim());
        return;
      case 'node-progress':
        row.note = event.text;
        break;
      case 'node-hit':
        this.#settle(row, 'done', paint.dim(`(${hitWord(event.source)})`));
        break;
      case 'node-finished':
        this.#settle(row, 'done', paint.dim(duration(event.durationMs)));
        break;
      case 'node-failed':
        this.#settle(row, 'failed', paint.red(event.failure.kind === 'cancelled' ? 'cancelled' : 'failed'));
        break;
      case 'node-skipped':
        this.#settle(row, 'skipped', paint.dim(`(skipped: ${event.because})`));
        break;
      case 'run-started':
      case 'run-finished':
      case 'waiting-for-lock':
      case 'run-warning':
      case 'node-warning':
      case 'node-text':
        return;
    }
    this.#redraw(row);
  }

  #settle(row: Row, state: Row['state'], note: string): void {
    row.state = state;
    row.note = note;
    this.#redraw(row);
    row.end?.(state === 'failed' ? new Error(row.title) : undefined);
  }

  #redraw(row: Row): void {
    if (row.wrapper === undefined) return;
    const time = row.state === 'running' ? `  ${duration(Date.now() - row.startedAt)}` : '';
    row.wrapper.title = [row.title + time, row.note].filter((part) => part !== '').join('  ');
  }

  async #draw(): Promise<void> {
    const listr2 = await import('listr2');
    this.#ticker = setInterval(() => {
      for (const row of this.#rows.values()) if (row.state === 'running') this.#redraw(row);
    }, TICK_MS);
    this.#ticker.unref();
    const tasks = [...this.#rows.values()].map((row) => ({
      title: row.title,
      task: (_: unknown, wrapper: unknown) => this.#follow(listr2, row, wrapper as Wrapper),
    }));
    const list = new listr2.Listr(tasks, {
      concurrent: true,
      exitOnError: false,
      // Signals belong to the command line, which cancels the run; listr2 would exit at once.
      registerSignalListeners: false,
      rendererOptions: { formatOutput: 'truncate', showErrorMessage: false, showSkipMessage: false },
    });
    await list.run();
  }

  /** The task of one row: it ends when its node does. */
  #follow(listr2: typeof Listr2, row: Row, wrapper: Wrapper): Promise<void> {
    row.wrapper = wrapper;
    this.#redraw(row);
    if (row.state === 'failed') return Promise.reject(new Error(row.title));
    if (row.state === 'done' || row.state === 'skipped') return Promise.resolve();
    // listr2 starts all tasks at once; a node that waits for others should not show a spinner yet.
    const { WAITING, STARTED } = listr2.ListrTaskState;
    if (row.state === 'waiting') wrapper.task.state$ = WAITING;
    row.start = () => (wrapper.task.state$ = STARTED);
    return new Promise((resolve, reject) => {
      row.end = (error) => {
        if (row.state === 'skipped') wrapper.skip();
        if (error === undefined) resolve();
        else reject(error);
      };
    });
  }
}
