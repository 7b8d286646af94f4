// SPDX-License-Identifier: Apache-2.0
/** The table on a terminal. */
import { isWhole, ratioOf, secondsOf, type Table } from './cell.js';
import { countText, durationText, ratioText, timeText } from './figures.js';
import { meanOf, violationsOf, withoutLoops } from './judge.js';

const SHOWN = 10;

/** The mean, the slowest cells, how many bounds are violated, and how long it all took. */
export function summaryText(table: Table): string {
  const { cells } = table;
  const slowest = cells.filter(isWhole).sort((a, b) => ratioOf(b) - ratioOf(a));
  const violations = violationsOf(cells);
  const broken = violations.filter(({ kind }) => kind === 'fails' || kind === 'wrong');
  const mean = meanOf(withoutLoops(cells));
  return [
    ...slowest.slice(0, SHOWN).map((cell) => {
      const { xla, ours } = cell;
      const times = `${timeText(ours.seconds)} / ${timeText(xla.seconds)}`;
      return `${ratioText(ratioOf(cell)).padStart(7)}  ${times.padEnd(20)} ${cell.id}`;
    }),
    '',
    `${countText(cells.length)} cells, ${broken.length} fail or are wrong, ${violations.length - broken.length} bounds violated`,
    `geometric mean without loops: ${Number.isNaN(mean) ? 'of no cell' : ratioText(mean)}; measured in ${durationText(secondsOf(cells))}`,
  ].join('\n');
}

/** Every bound that is violated, a line each, worst first; empty if none is. */
export function checkText({ cells }: Table): string {
  return violationsOf(cells)
    .map(({ id, text }) => `✗ ${id}${id === '' ? '' : ': '}${text}`)
    .join('\n');
}
