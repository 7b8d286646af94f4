// SPDX-License-Identifier: Apache-2.0
/** The table as growth.md. */
import { grouped } from '../../stages/lib/grouped.js';
import {
  isFailed,
  isWhole,
  memoryRatioOf,
  nameOf,
  ratioOf,
  secondsOf,
  type Cell,
  type Table,
  type Whole,
} from './cell.js';
import { countText, durationText, memoryText, ratioText, timeText } from './figures.js';
import { GROWTH_BOUND, MEAN_BOUND, MEMORY_BOUND, meanOf, violationsOf, withoutLoops, type Violation } from './judge.js';

const WORST = 25;

export function renderMarkdown(table: Table): string {
  const violations = violationsOf(table.cells);
  return [
    '# The growth table',
    '',
    ...head(table),
    ...broken(violations, table.cells),
    ...worst(table.cells),
    ...boundsOf(violations),
    ...[...grouped(table.cells, (cell) => nameOf(cell).family)].flatMap(([family, cells]) => section(family, cells)),
  ].join('\n');
}

/** What all figures share, as one or two sentences. */
export function basisOf(table: Table): string {
  const vectors = table.avx512 ? 'with AVX-512' : 'without AVX-512';
  const held = table.targetCpu === '' ? '' : `, hidden from both platforms (${table.targetCpu})`;
  return (
    `Measured ${table.date} on the cores ${table.cores} of ${table.cpu}, ${vectors}${held}, in ${durationText(secondsOf(table.cells))}: ` +
    `IREE ${table.iree} (${table.variant}) against XLA:CPU of jaxlib ${table.jaxlib}.`
  );
}

function head(table: Table): string[] {
  const { cells, library } = table;
  const counted = withoutLoops(cells);
  const loops = cells.filter(({ loop }) => loop);
  const operations = grouped(cells, (cell) => `${nameOf(cell).family}/${nameOf(cell).operation}`).size;
  return [
    `${basisOf(table)} A time is that of one call, blocked until its results are there, the least of interleaved turns; a ratio is`,
    'ours over XLA:CPU’s, so less than 1 is faster. Memory is the most that was resident in the process of the cell.',
    `\`npm run bench:growth\` writes this file; the curves are in growth.html. Library: sha256 ${library}.`,
    '',
    '| | |',
    '| --- | --: |',
    `| operations | ${operations} |`,
    `| cells | ${countText(cells.length)} |`,
    `| geometric mean of the ratios, without loops | ${meanText(counted)} |`,
    `| of the loops | ${meanText(loops)} |`,
    `| cells faster than XLA:CPU | ${countText(cells.filter((cell) => isWhole(cell) && ratioOf(cell) < 1).length)} |`,
    '',
  ];
}

function meanText(cells: readonly Cell[]): string {
  const mean = meanOf(cells);
  return Number.isNaN(mean) ? '–' : ratioText(mean);
}

function broken(violations: readonly Violation[], cells: readonly Cell[]): string[] {
  const found = violations.filter(({ kind }) => kind === 'fails' || kind === 'wrong');
  const theirs = cells.flatMap(({ id, xla }) => (isFailed(xla) ? [item(id, `${xla.failed}: ${xla.message}`)] : []));
  return [
    '## Cells that fail or are wrong',
    '',
    ...(found.length === 0 ? ['None.'] : found.map(({ id, text }) => item(id, text))),
    '',
    ...(theirs.length === 0 ? [] : ['On XLA:CPU:', '', ...theirs, '']),
  ];
}

function item(id: string, text: string): string {
  return `- \`${id}\`: ${escaped(text)}`;
}

function worst(cells: readonly Cell[]): string[] {
  const slowest = cells.filter(isWhole).sort((a, b) => ratioOf(b) - ratioOf(a));
  return [
    `## The ${Math.min(WORST, slowest.length)} slowest cells beside XLA:CPU`,
    '',
    ...rows(slowest.slice(0, WORST), ({ id }) => `\`${id}\``),
  ];
}

function boundsOf(violations: readonly Violation[]): string[] {
  const count = (kind: Violation['kind']): string => countText(violations.filter((each) => each.kind === kind).length);
  return [
    '## Bounds',
    '',
    '`npm run bench:growth -- --render --check` lists each cell that is over one.',
    '',
    '| bound | over it |',
    '| --- | --: |',
    `| the ratio of a cell of 1,000 elements or more: its operation's, 2 unless it says another | ${count('time')} |`,
    `| growth of the ratio from one size, or from 1, to the next: ${GROWTH_BOUND} | ${count('growth')} |`,
    `| memory, ours over XLA:CPU's: ${MEMORY_BOUND} | ${count('memory')} |`,
    `| geometric mean without loops: ${MEAN_BOUND} | ${count('mean')} |`,
    '',
  ];
}

function section(family: string, cells: readonly Cell[]): string[] {
  const ordered = [...grouped(cells, (cell) => nameOf(cell).operation).values()].flat();
  const loops = cells.every(({ loop }) => loop) ? ' (not in the mean)' : '';
  const mean = meanOf(cells);
  return [
    `## ${family}${loops}`,
    '',
    ...(Number.isNaN(mean) ? [] : [`Geometric mean ${ratioText(mean)}.`, '']),
    ...rows(ordered, nameText),
  ];
}

function nameText(cell: Cell): string {
  const { operation, gradient, dtype, size } = nameOf(cell);
  const unit = cell.unit === 'elements' ? '' : ` (${cell.unit})`;
  return `${operation}${gradient ? ', gradient' : ''}, ${dtype}, ${countText(size)}${unit}`;
}

function rows<T extends Cell>(cells: readonly T[], nameOfRow: (cell: T) => string): string[] {
  return [
    '| | XLA:CPU | plugin | ratio | memory | compile |',
    '| --- | --: | --: | --: | --: | --: |',
    ...cells.map((cell) => `| ${nameOfRow(cell)} | ${(isWhole(cell) ? figures(cell) : failures(cell)).join(' | ')} |`),
    '',
  ];
}

function figures(cell: Whole): string[] {
  const { xla, ours, bound, wrong = '' } = cell;
  const ratio = ratioText(ratioOf(cell));
  const marked = wrong !== '' ? `${ratio} wrong` : ratioOf(cell) > bound ? `**${ratio}**` : ratio;
  const memory = `${memoryText(ours.rss)}, ${ratioText(memoryRatioOf(cell))}`;
  return [
    timeText(xla.seconds),
    timeText(ours.seconds),
    marked,
    memory,
    `${ours.compile.toFixed(1)} s / ${xla.compile.toFixed(1)} s`,
  ];
}

function failures({ xla, ours }: Cell): string[] {
  const text = (side: Cell['xla']): string => (isFailed(side) ? `**${side.failed}**` : timeText(side.seconds));
  return [text(xla), text(ours), '', '', ''];
}

/** A message may hold what Markdown reads as its own. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|#&]/g, '\\$&');
}
