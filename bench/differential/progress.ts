// SPDX-License-Identifier: Apache-2.0
import { count } from '../../engine/events/text.js';
import { durationText } from '../growth/figures.js';
import type { Tally } from './tally.js';

/** Without a terminal, this many milliseconds pass between two lines. */
const PAUSE = 30_000;

/** Tells on stderr how far a search is: one line that changes on a terminal, else a line now and then. */
export class Progress {
  private readonly start = Date.now();
  private last = 0;

  constructor(
    private readonly seconds: number,
    private readonly stream: NodeJS.WriteStream,
  ) {}

  show(tally: Tally): void {
    const text = progressText(tally, (Date.now() - this.start) / 1000, this.seconds);
    if (this.stream.isTTY) this.stream.write(`\r\u001b[K${text.slice(0, this.stream.columns - 1)}`);
    else if (Date.now() - this.last > PAUSE) {
      this.last = Date.now();
      this.stream.write(`${text}\n`);
    }
  }

  /** A text that stays. */
  print(text: string): void {
    this.stream.write(`${this.stream.isTTY ? '\r\u001b[K' : ''}${text}\n`);
  }

  end(): void {
    if (this.stream.isTTY) this.stream.write('\n');
  }
}

/** `1,234 programs, 1.1 a second, 2 findings, 41 min 05 s left`. */
export function progressText(tally: Tally, passed: number, seconds: number): string {
  const rate = (tally.programs / Math.max(passed, 0.1)).toFixed(1);
  const left = durationText(Math.max(seconds - passed, 0));
  const shrinking = tally.shrinking === '' ? '' : `; shrinking: ${tally.shrinking}`;
  const findings = count(tally.findings.length, 'finding');
  return `${count(tally.programs, 'program')}, ${rate} a second, ${findings}, ${left} left${shrinking}`;
}
