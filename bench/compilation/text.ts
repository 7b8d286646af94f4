// SPDX-License-Identifier: Apache-2.0
/** What was measured of compilations, for terminals and as a table. */
import { filledLines } from '../../engine/base/filled-lines.js';
import { ratioText, timeText } from '../growth/figures.js';

/** One program, as compare.py prints it. */
export interface CompileRow {
  readonly what: string;
  /** Seconds. */
  readonly xla: number;
  readonly ours: number;
  /** Milliseconds of one traced compilation, by name, in order. */
  readonly phases: Readonly<Record<string, number>>;
  readonly passes: Readonly<Record<string, number>>;
}

const WIDTH = 80;
const INDENT = '  ';
/** Passes that take less are left out, in milliseconds. */
const LEAST = 0.5;
/** Phases that have a column of their own; the others are the rest. */
const COLUMNS = ['input', 'flow', 'stream', 'hal'];
/** What the phases begin with into which IREE cuts its code's, `hal`. */
const CODE = 'executable-';

/** A program's lines: its times, the phases in order, with `passes` the slowest of ours first. */
export function compileText({ what, xla, ours, phases, passes }: CompileRow, withPasses: boolean): string[] {
  const times = `${timeText(ours)}, XLA:CPU ${timeText(xla)}: ${ratioText(ours / xla)}`;
  const slowest = Object.entries(passes)
    .filter(([, milliseconds]) => milliseconds >= LEAST)
    .sort(([, a], [, b]) => b - a);
  return [
    what,
    INDENT + times,
    ...filled(Object.entries(phases)),
    ...(withPasses && slowest.length > 0 ? [`${INDENT}our passes:`, ...filled(slowest)] : []),
    '',
  ];
}

/** The rows of a Markdown table. */
export function compileTable(rows: readonly CompileRow[]): string[] {
  const body = rows.map(({ what, xla, ours, phases }) => {
    const sumOf = (column: string | undefined): number =>
      Object.entries(phases).reduce((sum, [name, each]) => (columnOf(name) === column ? sum + each : sum), 0);
    const figures = [...COLUMNS, undefined].map((column) => String(Math.round(sumOf(column))));
    const times = [timeText(xla), timeText(ours), ratioText(ours / xla)];
    return `| ${[what, ...times, ...figures].join(' | ')} |`;
  });
  return [
    `| program | XLA:CPU | plugin | ratio | ${COLUMNS.join(', ms | ')}, ms | rest, ms |`,
    `|---|${'--:|'.repeat(COLUMNS.length + 4)}`,
    ...body,
  ];
}

function columnOf(phase: string): string | undefined {
  return COLUMNS.find((column) => column === (phase.startsWith(CODE) ? 'hal' : phase));
}

function filled(times: readonly (readonly [string, number])[]): string[] {
  const words = times.map(([name, milliseconds]) => `${name} ${timeText(milliseconds / 1e3)}`);
  return filledLines(words, '   ', WIDTH - INDENT.length).map((line) => INDENT + line);
}
