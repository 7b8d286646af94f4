// SPDX-License-Identifier: Apache-2.0
/** The cells as a person looks at them: a table of frameworks per wheel, and one of the other compilers. */
import type { Forecast } from '../../engine/api.js';
import type { CellResult } from '../artifacts.js';
import type { MatrixCell, MatrixReport } from '../lib/matrix/report.js';
import { grouped } from '../lib/grouped.js';
import { releaseOf } from '../lib/release-of.js';

export interface Row {
  readonly title: string;
  /** In the order of the pythons. */
  readonly cells: readonly MatrixCell[];
}

export interface Section {
  /** `cpu-release-x86_64, IREE 3.13`. */
  readonly title: string;
  readonly wheel: string;
  readonly sha256: string;
  readonly runtime: string;
  readonly compiler: string;
  readonly pythons: readonly string[];
  /** By jaxlib, the newest first, with the compiler of the runtime's release. */
  readonly frameworks: readonly Row[];
  /** The other compilers. */
  readonly compilers: readonly Row[];
}

export const SIGNS: Readonly<Record<CellResult, { readonly sign: string; readonly words: string }>> = {
  works: { sign: '✓', words: 'works' },
  fails: { sign: '✗', words: 'fails' },
  refused: { sign: '⊘', words: 'is refused, with a message' },
  'not-run': { sign: '?', words: 'not run: a Python or a device is missing here' },
  impossible: { sign: '·', words: 'impossible, not run' },
};

export function sectionsOf({ cells }: Pick<MatrixReport, 'cells'>): Section[] {
  const wheels = grouped(
    cells,
    ({ device, flavour, arch, runtime }) => `${device}-${flavour}-${arch}, IREE ${releaseOf(runtime)}`,
  );
  return [...wheels].map(([title, ours]) => {
    const [{ wheel, sha256, runtime }] = ours;
    const pythons = unique(ours.map(({ python }) => python));
    const own = newest(
      ours.filter(({ kind, compiler }) => kind !== 'compiler-release' && sameRelease(compiler, runtime)),
    );
    const fitting = ours.filter(({ compiler }) => compiler === own);
    const others = grouped(
      ours.filter(({ compiler }) => !sameRelease(compiler, runtime)),
      ({ compiler }) => compiler,
    );
    return {
      ...{ title, wheel, sha256, runtime, compiler: own, pythons },
      frameworks: [...grouped(fitting, titleOf)].map(([title, row]) => ({ title, cells: row })).reverse(),
      compilers: [...others]
        .map(([compiler, row]) => ({ title: compiler, cells: pythons.flatMap((python) => telling(row, python)) }))
        .reverse(),
    };
  });
}

/** The jaxlib of a row; one of the developer's own may have the version of a release. */
function titleOf({ jaxlib, local }: MatrixCell): string {
  return local?.includes('jaxlib') === true ? `${jaxlib} (local)` : jaxlib;
}

/** Of the cells of a compiler, which are one case: the one that was run, else that of the newest jaxlib. */
function telling(cells: readonly MatrixCell[], python: string): MatrixCell[] {
  const here = cells.filter((cell) => cell.python === python);
  const found = here.find(({ command }) => command !== '') ?? here.at(-1);
  return found ? [found] : [];
}

export function countsOf({ cells }: Pick<MatrixReport, 'cells'>): Readonly<Record<CellResult, number>> {
  const count = (result: CellResult): number => cells.filter((cell) => cell.result === result).length;
  return {
    works: count('works'),
    fails: count('fails'),
    refused: count('refused'),
    'not-run': count('not-run'),
    impossible: count('impossible'),
  };
}

/** What did not run for want of a Python, a sentence for each that this machine has not got. */
export function missingPythons({ cells }: Pick<MatrixReport, 'cells'>): string[] {
  const missing = cells.filter(({ result, kind }) => result === 'not-run' && kind === 'python');
  return [...grouped(missing, ({ python }) => python)].map(([python, { length }]) => {
    return `Python ${python} was not found: ${length} ${length === 1 ? 'cell was' : 'cells were'} not run`;
  });
}

/** Cells are in the order of their compilers. */
function newest(cells: readonly MatrixCell[]): string {
  return cells.at(-1)?.compiler ?? '';
}

function sameRelease(one: string, other: string): boolean {
  return releaseOf(one) === releaseOf(other);
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** `≥ 31 min`, by the number of machines. */
export function timesOf({ results, unknown }: Forecast): { readonly runners: number; readonly time: string }[] {
  const bound = unknown.length > 0 ? '≥ ' : '';
  return results.map(({ runners, seconds }) => ({ runners, time: `${bound}${Math.ceil(seconds / 60)} min` }));
}

/** What the times are made of. */
export function basisOf({ legs, startupSeconds, jobs, unknown }: Forecast): string {
  const missing = unknown.length > 0 ? ` Stages never run there, whose time is unknown: ${unknown.length}.` : '';
  return (
    `From cold, simulated by the times that stages had where this was made: ${legs} legs, ` +
    `${startupSeconds} s for each to start, ${jobs} stages side by side.${missing}`
  );
}
