// SPDX-License-Identifier: Apache-2.0
/** What the growth table is made of: an operation or its gradient, in a dtype, at a size, on two platforms. */

/** A cell as cells.py lists it. */
export interface Listed {
  /** `neural/softmax.grad/f32/16384`: family, operation, whether its gradient, dtype, size. */
  readonly id: string;
  /** What the size counts, `elements` or, say, `n of n × n`. */
  readonly unit: string;
  /** Of all inputs together. */
  readonly elements: number;
  /** Whether it is a loop of many turns, which the mean leaves out. */
  readonly loop: boolean;
  /** The largest ratio to XLA:CPU's time that is wanted. */
  readonly bound: number;
}

export interface Figures {
  /** A call, blocked until its results are there: the least of the turns. */
  readonly seconds: number;
  readonly median: number;
  readonly calls: number;
  /** Seconds of tracing, compiling and the first call. */
  readonly compile: number;
  /** Most bytes that were resident in the cell's own process. */
  readonly rss: number;
}

export interface Failed {
  readonly failed: 'does not compile' | 'error' | 'timeout' | 'crash';
  readonly message: string;
}

/** As compare.py prints it. */
export interface Measured {
  readonly id: string;
  readonly xla: Figures | Failed;
  readonly ours: Figures | Failed;
  /** The largest difference of the results, as a part of their scale; null where it has no number. */
  readonly apart?: number | null;
  /** What is wrong with our result; empty if nothing is. */
  readonly wrong?: string;
  /** Seconds for all of it, on both. */
  readonly took: number;
}

export type Cell = Listed & Measured;

/** A table, with what it was measured of and where. */
export interface Table {
  /** `2026-11-24`. */
  readonly date: string;
  readonly cpu: string;
  readonly avx512: boolean;
  readonly cores: string;
  readonly jaxlib: string;
  readonly iree: string;
  readonly variant: string;
  /** sha256 of the plugin's library. */
  readonly library: string;
  /** Whose vectors both platforms were held to; empty for the machine's own. */
  readonly targetCpu: string;
  readonly cells: readonly Cell[];
}

export interface Name {
  readonly family: string;
  readonly operation: string;
  readonly gradient: boolean;
  readonly dtype: string;
  readonly size: number;
}

const GRADIENT = '.grad';

/** The parts of a cell's id. */
export function nameOf({ id }: Pick<Listed, 'id'>): Name {
  const [family = '', name = '', dtype = '', size = ''] = id.split('/');
  const gradient = name.endsWith(GRADIENT);
  return {
    family,
    operation: gradient ? name.slice(0, -GRADIENT.length) : name,
    gradient,
    dtype,
    size: Number(size),
  };
}

/** What a cell shares with its other sizes: `neural/softmax.grad/f32`. */
export function curveOf({ id }: Pick<Listed, 'id'>): string {
  return id.slice(0, id.lastIndexOf('/'));
}

export function isFailed(side: Figures | Failed): side is Failed {
  return 'failed' in side;
}

/** A cell with figures of both platforms. */
export type Whole = Cell & { readonly xla: Figures; readonly ours: Figures };

export function isWhole(cell: Cell): cell is Whole {
  return !isFailed(cell.xla) && !isFailed(cell.ours);
}

/** Our time over XLA:CPU's. */
export function ratioOf({ xla, ours }: Whole): number {
  return ours.seconds / xla.seconds;
}

/** Our memory over XLA:CPU's. */
export function memoryRatioOf({ xla, ours }: Whole): number {
  return ours.rss / xla.rss;
}

/** The cells that were measured, in the order of `listed`. */
export function cellsOf(listed: readonly Listed[], rows: ReadonlyMap<string, Measured>): Cell[] {
  return listed.flatMap((about) => {
    const row = rows.get(about.id);
    return row ? [{ ...about, ...row }] : [];
  });
}

/** What two measurements of a cell say together: the least times, and what failed or was wrong in either. */
export function togetherOf(first: Measured, second: Measured): Measured {
  const wrong = first.wrong === undefined || first.wrong === '' ? second.wrong : first.wrong;
  return {
    ...first,
    xla: fasterOf(first.xla, second.xla),
    ours: fasterOf(first.ours, second.ours),
    ...(wrong === undefined ? {} : { wrong }),
    took: first.took + second.took,
  };
}

function fasterOf(first: Figures | Failed, second: Figures | Failed): Figures | Failed {
  if (isFailed(first)) return first;
  return isFailed(second) || second.seconds < first.seconds ? second : first;
}

/** Seconds that measuring the cells took. */
export function secondsOf(cells: readonly Pick<Measured, 'took'>[]): number {
  return cells.reduce((sum, { took }) => sum + took, 0);
}
