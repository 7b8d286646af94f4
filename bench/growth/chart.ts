// SPDX-License-Identifier: Apache-2.0
/** Log-log curves as coordinates of an SVG, in units of its view box. */
import type { Whole } from './cell.js';
import { nameOf, ratioOf } from './cell.js';
import { briefCount, countText, ratioText, timeText } from './figures.js';

export const VIEW = { width: 220, height: 136, left: 48, right: 16, top: 10, bottom: 22 } as const;

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface Mark {
  readonly x: number;
  readonly y: number;
  readonly title: string;
}

export interface Curve {
  /** The `points` of a polyline. */
  readonly points: string;
  readonly marks: readonly Mark[];
}

export interface Chart {
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly xla: Curve;
  readonly ours: Curve;
}

/** A range of decades' logarithms, `[-5, -3]`. */
export type Range = readonly [number, number];

/** The whole decades that hold all times of the cells. */
export function timeRange(cells: readonly Whole[]): Range {
  const logs = cells.flatMap(({ xla, ours }) => [Math.log10(xla.seconds), Math.log10(ours.seconds)]);
  const [least, most] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  return [least, Math.max(most, least + 1)];
}

/** The curves of one operation's sizes, on the axis of times `range`. */
export function chartOf(cells: readonly Whole[], range: Range): Chart {
  const sorted = [...cells].sort((a, b) => nameOf(a).size - nameOf(b).size);
  const x = scaleX(sorted.map(positionOf));
  const curve = (side: 'xla' | 'ours'): Curve => {
    const marks = sorted.map((cell) => ({
      x: x(positionOf(cell)),
      y: yOf(Math.log10(cell[side].seconds), range),
      title: titleOf(cell),
    }));
    return { marks, points: marks.map((mark) => `${mark.x},${mark.y}`).join(' ') };
  };
  return {
    xTicks: sorted.map((cell) => ({ at: x(positionOf(cell)), text: briefCount(positionOf(cell)) })).filter(spaced),
    yTicks: decades(range).map((decade) => ({ at: yOf(decade, range), text: decadeText(decade) })),
    xla: curve('xla'),
    ours: curve('ours'),
  };
}

/** Elements, or where a size counts something else, the size. */
function positionOf(cell: Whole): number {
  return cell.unit === 'elements' ? cell.elements : nameOf(cell).size;
}

function titleOf(cell: Whole): string {
  const { xla, ours, unit } = cell;
  const what =
    unit === 'elements' ? `${countText(cell.elements)} elements` : `${countText(nameOf(cell).size)}: ${unit}`;
  return `${what}\nplugin ${timeText(ours.seconds)}, XLA:CPU ${timeText(xla.seconds)}\nratio ${ratioText(ratioOf(cell))}`;
}

function scaleX(positions: readonly number[]): (position: number) => number {
  const logs = positions.map((position) => Math.log10(Math.max(position, 1)));
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  const width = VIEW.width - VIEW.left - VIEW.right;
  return (position) => {
    const part = most > least ? (Math.log10(Math.max(position, 1)) - least) / (most - least) : 0.5;
    return rounded(VIEW.left + part * width);
  };
}

function yOf(log: number, [least, most]: Range): number {
  const height = VIEW.height - VIEW.top - VIEW.bottom;
  return rounded(VIEW.top + ((most - log) / (most - least)) * height);
}

/** At most five of them. */
function decades([least, most]: Range): number[] {
  const step = Math.ceil((most - least) / 4);
  return Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, index) => least + index * step);
}

/** `10 µs`, of 10 to the power of -5. */
function decadeText(decade: number): string {
  const zero = Math.max(-9, Math.min(0, Math.floor(decade / 3) * 3));
  return `${10 ** (decade - zero)} ${{ 0: 's', [-3]: 'ms', [-6]: 'µs' }[zero] ?? 'ns'}`;
}

/** Numbers below the axis do not run into each other. */
function spaced({ at }: Tick, index: number, all: readonly Tick[]): boolean {
  const next = all[index + 1];
  return next === undefined || next.at - at >= 26;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
