// SPDX-License-Identifier: Apache-2.0
import { isFailed, isWhole, ratioOf, type Cell, type Measured } from './cell.js';
import { durationText, ratioText } from './figures.js';

/** Without a terminal, this many milliseconds pass between two lines. */
const PAUSE = 30_000;

/** Tells on stderr how far a run is: one line that changes on a terminal, else a line now and then. */
export class Progress {
  private done = 0;
  private failed = 0;
  private readonly start = Date.now();
  private last = 0;

  /** `all` cells, of which `before` were measured by a run that was ended. */
  constructor(
    private readonly all: number,
    private readonly before: number,
    private readonly stream: NodeJS.WriteStream,
  ) {}

  show(row: Measured): void {
    this.done += 1;
    if (isFailed(row.ours) || (row.wrong ?? '') !== '') this.failed += 1;
    const text = this.textOf(row);
    if (this.stream.isTTY) this.stream.write(`\r\u001b[K${text.slice(0, this.stream.columns - 1)}`);
    else if (Date.now() - this.last > PAUSE) {
      this.last = Date.now();
      this.stream.write(`${text}\n`);
    }
  }

  end(): void {
    if (this.stream.isTTY && this.done > 0) this.stream.write('\n');
  }

  private textOf(row: Measured): string {
    const at = this.before + this.done;
    const left = (((Date.now() - this.start) / this.done) * (this.all - at)) / 1000;
    const figure = isWhole(row as Cell) ? ratioText(ratioOf(row as Parameters<typeof ratioOf>[0])) : 'failed';
    const failed = this.failed === 0 ? '' : `, ${this.failed} failed or wrong`;
    return `${at}/${this.all}, ${durationText(left)} left${failed}: ${row.id} ${figure}`;
  }
}
