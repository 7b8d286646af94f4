// SPDX-License-Identifier: Apache-2.0
/** What is wanted of the growth table, and where it falls short. */
import { grouped } from '../../stages/lib/grouped.js';
import { curveOf, isFailed, isWhole, memoryRatioOf, nameOf, ratioOf, type Cell, type Whole } from './cell.js';
import { countText, ratioText } from './figures.js';

/** From this many elements on a cell's ratio is bounded: below, a call's least cost is all there is. */
const BOUNDED_ELEMENTS = 1000;
/**
 * How much faster than XLA:CPU's our time may grow from one size to the next. A curve that is ahead may come up to
 * XLA:CPU's first: small sizes are a call's least cost, large ones are as fast as memory for both.
 */
export const GROWTH_BOUND = 1.3;
/** The largest geometric mean of the ratios, loops left out. */
export const MEAN_BOUND = 1;
/** The largest ratio of the memory that was resident at most. */
export const MEMORY_BOUND = 1.5;

export type Kind = 'fails' | 'wrong' | 'time' | 'growth' | 'memory' | 'mean';

export interface Violation {
  readonly kind: Kind;
  /** Its cell; empty for the mean. */
  readonly id: string;
  /** How many times its bound it is; infinite for what fails or is wrong. */
  readonly over: number;
  /** The cell of the size before, where its time grew too fast from there. */
  readonly from?: string;
  readonly text: string;
}

/** Every bound that is violated: what fails, then what is wrong, then the farthest over its bound. */
export function violationsOf(cells: readonly Cell[]): Violation[] {
  const found = [
    ...cells.flatMap(ofCell),
    ...cells.filter(isWhole).flatMap(ofFigures),
    ...ofGrowth(cells),
    ...ofMean(cells),
  ];
  const rank = ({ kind }: Violation): number => ['fails', 'wrong'].indexOf(kind) + 1 || 3;
  return found.sort((a, b) => rank(a) - rank(b) || compare(b.over, a.over));
}

/** The cells that another measurement may clear of a violation: those over a bound, and the sizes they grew too fast from. */
export function suspectsOf(cells: readonly Cell[]): string[] {
  const over = violationsOf(cells).filter(({ kind }) => kind === 'time' || kind === 'growth');
  const ids = new Set(over.flatMap(({ id, from = id }) => [from, id]));
  return cells.map(({ id }) => id).filter((id) => ids.has(id));
}

/** Infinities are equal. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/** The geometric mean of the ratios; NaN without a cell. */
export function meanOf(cells: readonly Cell[]): number {
  const logs = cells.filter(isWhole).map((cell) => Math.log(ratioOf(cell)));
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}

export function withoutLoops(cells: readonly Cell[]): Cell[] {
  return cells.filter(({ loop }) => !loop);
}

function ofCell({ id, ours, wrong = '' }: Cell): Violation[] {
  const over = Infinity;
  if (isFailed(ours)) return [{ kind: 'fails', id, over, text: `${ours.failed}: ${ours.message}` }];
  return wrong === '' ? [] : [{ kind: 'wrong', id, over, text: `wrong: ${wrong}` }];
}

function ofFigures(cell: Whole): Violation[] {
  const { id, bound, elements } = cell;
  const [time, memory] = [ratioOf(cell), memoryRatioOf(cell)];
  const found: Violation[] = [];
  if (elements >= BOUNDED_ELEMENTS && time > bound) {
    found.push({ kind: 'time', id, over: time / bound, text: overText('its time is', time, bound) });
  }
  if (memory > MEMORY_BOUND) {
    found.push({
      kind: 'memory',
      id,
      over: memory / MEMORY_BOUND,
      text: overText('its memory is', memory, MEMORY_BOUND),
    });
  }
  return found;
}

function ofGrowth(cells: readonly Cell[]): Violation[] {
  return [...grouped(cells, curveOf).values()].flatMap((curve) => {
    const whole = curve.filter(isWhole).sort((a, b) => nameOf(a).size - nameOf(b).size);
    return whole.flatMap((cell, index) => {
      const before = whole[index - 1];
      const grew = before ? ratioOf(cell) / Math.max(ratioOf(before), 1) : 0;
      if (!before || grew <= GROWTH_BOUND) return [];
      const what = `from ${countText(nameOf(before).size)} on its time grew by`;
      const text = overText(what, grew, GROWTH_BOUND);
      return [{ kind: 'growth', id: cell.id, from: before.id, over: grew / GROWTH_BOUND, text }];
    });
  });
}

function ofMean(cells: readonly Cell[]): Violation[] {
  const mean = meanOf(withoutLoops(cells));
  if (!(mean > MEAN_BOUND)) return [];
  return [{ kind: 'mean', id: '', over: mean / MEAN_BOUND, text: overText('the geometric mean is', mean, MEAN_BOUND) }];
}

function overText(what: string, value: number, bound: number): string {
  return `${what} ${ratioText(value)} of XLA:CPU's, ${ratioText(bound)} allowed`;
}
