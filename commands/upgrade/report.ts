// SPDX-License-Identifier: Apache-2.0
import { timesThatAre } from '../../stages/compare-releases/timings.js';
import type { StageEnd } from './children.js';
import type { ErrorGroup } from './compile-errors.js';
import type { Changes, HeaderDiff } from './header-diff.js';
import type { Speed } from './speed.js';

export interface Report {
  /** `IREE 3.13.0`. */
  readonly what: string;
  /** How the row of compat/ differs. */
  readonly row: readonly string[];
  readonly lock: readonly string[];
  readonly header?: HeaderDiff;
  readonly variant?: string;
  readonly stages: readonly StageEnd[];
  /** The errors of what does not compile. */
  readonly compile: readonly ErrorGroup[];
  /** Flags, passes and rewritten programs that the compiler does not take. */
  readonly refused: readonly string[];
  /** Beside the release line before; absent where a test failed, and where no line was tried. */
  readonly speed?: Speed;
  readonly notes: readonly string[];
  /** Files that --apply takes over. */
  readonly files: readonly string[];
}

const SHOWN_PLACES = 3;

export function works({ stages }: Pick<Report, 'stages'>): boolean {
  return stages.every(({ result }) => result === 'ok');
}

/** For people; `apply` is the command that takes the files over. */
export function renderReport(report: Report, apply: string): string[] {
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
  const { header } = report;
  return [
    `${report.what}${report.variant === undefined ? '' : `, tried on ${report.variant}`}`,
    ...section('Row of compat/', report.row),
    ...section('Lock', report.lock),
    ...(header ? headerLines(header).flatMap(([title, lines]) => section(title, lines)) : []),
    ...section('Stages', report.stages.map(stageLine)),
    ...section('Does not compile', report.compile.flatMap(compileLines)),
    ...section('Flags, passes and rewrites that its compiler refuses', refusedLines(report)),
    ...section(
      'Failures',
      report.stages.flatMap(({ node, failure }) => (failure ? failureLines(node, failure) : [])),
    ),
    ...(report.speed ? speedLines(report.speed).flatMap(([title, lines]) => section(title, lines)) : []),
    ...section('Notes', report.notes),
    '',
    ...(report.files.length === 0
      ? ['No file changes.']
      : [`${report.files.join(', ')} would change; nothing has been changed yet:`, `  ${apply}`]),
  ];
}

function stageLine({ node, result, seconds }: StageEnd): string {
  return `${result.padEnd(7)}  ${node}${seconds === 0 ? '' : `  ${Math.round(seconds)} s`}`;
}

function compileLines({ api, places, message }: ErrorGroup): string[] {
  const more = places.length > SHOWN_PLACES ? ` and ${places.length - SHOWN_PLACES} more` : '';
  return [api, ...(api === message ? [] : [`  ${message}`]), `  ${places.slice(0, SHOWN_PLACES).join(', ')}${more}`];
}

/** That nothing is refused is said where all tests have passed: otherwise it is not known. */
function refusedLines(report: Report): readonly string[] {
  return report.refused.length === 0 && report.variant !== undefined && works(report) ? ['none'] : report.refused;
}

function speedLines(speed: Speed): [string, string[]][] {
  if ('problem' in speed) return [['Times', [`not measured: ${speed.problem}`]]];
  const { before, rows } = speed;
  return (['slower', 'faster'] as const).map((word) => {
    const lines = timesThatAre(word, rows);
    return [`${word === 'slower' ? 'Slower' : 'Faster'} than on ${before}`, lines.length === 0 ? ['nothing'] : lines];
  });
}

function failureLines(node: string, failure: NonNullable<StageEnd['failure']>): string[] {
  const detail = 'detail' in failure && typeof failure.detail === 'string' ? failure.detail.split('\n') : [];
  return [`${node}: ${failure.message}`, ...detail.map((line) => `  ${line}`)];
}

function headerLines({ functions, structs, values }: HeaderDiff): [string, string[]][] {
  const of = ({ added, removed }: Changes): string[] => [
    ...added.map((name) => `+ ${name}`),
    ...removed.map((name) => `- ${name}`),
  ];
  return [
    ['Functions of PJRT_Api', of(functions)],
    ['Structs', of(structs)],
    ['Structs that grew', structs.grown.map(({ name, fields }) => `${name}: ${fields.join(', ')}`)],
    ['Values of enums', of(values)],
  ];
}
