// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import nunjucks from 'nunjucks';
import { grouped } from '../../stages/lib/grouped.js';
import { curveOf, isFailed, isWhole, nameOf, ratioOf, type Cell, type Table, type Whole } from './cell.js';
import { chartOf, timeRange, VIEW, type Chart } from './chart.js';
import { countText, ratioText } from './figures.js';
import { basisOf } from './markdown.js';
import { meanOf, violationsOf, withoutLoops, type Violation } from './judge.js';

/** How good a ratio is: at most 1, at most its bound, above. */
type Grade = 'faster' | 'near' | 'slower';

interface Badge {
  readonly grade: Grade;
  readonly text: string;
}

interface Panel {
  /** `gradient, bf16`. */
  readonly title: string;
  /** Of its worst size. */
  readonly badge: Badge | undefined;
  readonly chart: Chart | undefined;
  readonly problems: readonly string[];
}

interface Entry {
  readonly family: string;
  readonly operation: string;
  readonly unit: string;
  readonly loop: boolean;
  readonly broken: boolean;
  /** The worst ratio; infinite where a cell fails or is wrong. */
  readonly worst: number;
  readonly badge: Badge | undefined;
  readonly mean: string;
  readonly panels: readonly Panel[];
}

/** One file without requests: curves per operation, the worst first; without scripts it shows all of them. */
export async function renderPage(table: Table): Promise<string> {
  const folder = path.join(import.meta.dirname, 'page');
  const [template, style, script] = await Promise.all(
    ['page.html.njk', 'page.css', 'page.js'].map((file) => readFile(path.join(folder, file), 'utf8')),
  );
  const environment = new nunjucks.Environment(null, {
    autoescape: true,
    throwOnUndefined: true,
    trimBlocks: true,
    lstripBlocks: true,
  });
  const violations = violationsOf(table.cells);
  return new nunjucks.Template(template ?? '', environment, 'page.html.njk', true).render({
    style,
    script,
    view: VIEW,
    date: table.date,
    basis: basisOf(table),
    tiles: tilesOf(table, violations),
    bars: barsOf(table.cells),
    families: familiesOf(table.cells),
    entries: entriesOf(table.cells),
  });
}

/** The operations, the worst first. */
export function entriesOf(cells: readonly Cell[]): Entry[] {
  const operations = grouped(cells, (cell) => `${nameOf(cell).family}/${nameOf(cell).operation}`);
  return [...operations.values()].map(entryOf).sort((a, b) => (a.worst === b.worst ? 0 : b.worst - a.worst));
}

function entryOf(cells: readonly Cell[]): Entry {
  const [first] = cells;
  if (!first) throw new Error('an operation has cells');
  const { family, operation } = nameOf(first);
  const whole = cells.filter(isWhole);
  const broken = cells.some((cell) => problemOf(cell) !== undefined);
  const mean = meanOf(whole);
  return {
    ...{ family, operation, broken, unit: first.unit, loop: first.loop },
    worst: broken ? Infinity : Math.max(0, ...whole.map(ratioOf)),
    badge: badgeOf(whole),
    mean: Number.isNaN(mean) ? '' : ratioText(mean),
    panels: panelsOf(cells, whole),
  };
}

function panelsOf(cells: readonly Cell[], whole: readonly Whole[]): Panel[] {
  const range = timeRange(whole);
  return [...grouped(cells, curveOf).values()].map((curve) => {
    const drawn = curve.filter(isWhole);
    const { gradient, dtype } = nameOf(curve[0]);
    return {
      title: gradient ? `gradient, ${dtype}` : dtype,
      badge: badgeOf(drawn),
      chart: drawn.length > 0 ? chartOf(drawn, range) : undefined,
      problems: curve.flatMap((cell) => {
        const problem = problemOf(cell);
        return problem === undefined ? [] : [`${countText(nameOf(cell).size)}: ${problem}`];
      }),
    };
  });
}

function problemOf({ ours, wrong = '' }: Cell): string | undefined {
  if (isFailed(ours)) return `${ours.failed}: ${ours.message}`;
  return wrong === '' ? undefined : `wrong: ${wrong}`;
}

function badgeOf(cells: readonly Whole[]): Badge | undefined {
  const worst = [...cells].sort((a, b) => ratioOf(b) - ratioOf(a))[0];
  if (!worst) return undefined;
  return { grade: gradeOf(worst), text: ratioText(ratioOf(worst)) };
}

function gradeOf(cell: Whole): Grade {
  const ratio = ratioOf(cell);
  return ratio <= 1 ? 'faster' : ratio <= cell.bound ? 'near' : 'slower';
}

function tilesOf(
  { cells }: Table,
  violations: readonly Violation[],
): { readonly name: string; readonly value: string }[] {
  const count = (...kinds: Violation['kind'][]): string =>
    countText(violations.filter(({ kind }) => kinds.includes(kind)).length);
  const mean = (of: readonly Cell[]): string => (of.some(isWhole) ? ratioText(meanOf(of)) : '–');
  return [
    { name: 'geometric mean, without loops', value: mean(withoutLoops(cells)) },
    { name: 'cells', value: countText(cells.length) },
    {
      name: 'faster than XLA:CPU',
      value: countText(cells.filter((cell) => isWhole(cell) && ratioOf(cell) < 1).length),
    },
    { name: 'slower than their bound', value: count('time') },
    { name: 'fail or are wrong', value: count('fails', 'wrong') },
    { name: 'over the bound of growth', value: count('growth') },
    { name: 'over the bound of memory', value: count('memory') },
    { name: 'mean of the loops', value: mean(cells.filter(({ loop }) => loop)) },
  ];
}

interface Bar {
  readonly text: string;
  readonly count: number;
  /** Part of the highest bar, in percent. */
  readonly height: number;
  readonly grade: Grade;
}

/** How many cells have a ratio from a power of two to the next; all that are beyond are in the outermost. */
export function barsOf(cells: readonly Cell[]): Bar[] {
  const [least, most] = [-5, 5];
  const counts = new Map<number, number>();
  for (const cell of cells.filter(isWhole)) {
    const bin = Math.min(most, Math.max(least, Math.floor(Math.log2(ratioOf(cell)))));
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  const highest = Math.max(1, ...counts.values());
  return Array.from({ length: most - least + 1 }, (_, index) => {
    const bin = least + index;
    const count = counts.get(bin) ?? 0;
    return {
      text:
        bin === least
          ? `< ${powerText(bin + 1)}`
          : bin === most
            ? `≥ ${powerText(bin)}`
            : `${powerText(bin)}–${powerText(bin + 1)}`,
      count,
      height: Math.round((count / highest) * 100),
      grade: bin < 0 ? 'faster' : bin < 1 ? 'near' : 'slower',
    };
  });
}

function powerText(power: number): string {
  return power < 0 ? `1/${2 ** -power}` : String(2 ** power);
}

function familiesOf(cells: readonly Cell[]): { readonly name: string; readonly mean: string }[] {
  return [...grouped(cells, (cell) => nameOf(cell).family)].map(([name, ours]) => ({
    name,
    mean: ours.some(isWhole) ? ratioText(meanOf(ours)) : '–',
  }));
}
