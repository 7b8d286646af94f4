// SPDX-License-Identifier: Apache-2.0
import type { CellResult } from '../artifacts.js';
import type { MatrixCell, MatrixReport } from '../lib/matrix/report.js';
import { basisOf, countsOf, missingPythons, sectionsOf, SIGNS, timesOf, type Row, type Section } from './table.js';

const RESULTS = Object.keys(SIGNS) as CellResult[];

/** For the terminal. */
export function renderText(report: MatrixReport): string {
  const lines = sectionsOf(report).flatMap((section) => [
    `${section.title}, compiler ${section.compiler}`,
    ...textTable(['jaxlib', ...section.pythons], section.frameworks),
    ...(section.compilers.length === 0 ? [] : textTable(['compiler', ...section.pythons], section.compilers)),
  ]);
  const end = [
    summaryOf(report),
    ...missingPythons(report).map((line) => `? ${line}`),
    timesLine(report),
    ...report.disagreements.map((line) => `! ${line}`),
  ];
  return `${[...lines, ...end].join('\n')}\n`;
}

function textTable(head: readonly string[], rows: readonly Row[]): string[] {
  const width = Math.max(...[head[0] ?? '', ...rows.map(({ title }) => title)].map(({ length }) => length));
  const line = ([first = '', ...rest]: readonly string[]): string =>
    [first.padEnd(width), ...rest.map((text) => text.padStart(4))].join('  ');
  return [line(head), ...rows.map(({ title, cells }) => line([title, ...cells.map(signOf)]))];
}

/** `1 machine 31 min, 4: 18 min, 16: 18 min, 64: 18 min`. */
function timesLine({ forecast }: MatrixReport): string {
  const [first, ...rest] = timesOf(forecast);
  if (first === undefined) return '';
  const more = rest.map(({ runners, time }) => `, ${runners}: ${time}`).join('');
  return `simulated on ${first.runners} machine: ${first.time}${more}`;
}

function summaryOf(report: MatrixReport): string {
  const counts = countsOf(report);
  return RESULTS.filter((result) => counts[result] > 0)
    .map((result) => `${SIGNS[result].sign} ${counts[result]} ${result}`)
    .join(', ');
}

/** `dist/matrix/matrix.md`. */
export function renderMarkdown(report: MatrixReport): string {
  return [
    '# Which versions work together',
    '',
    `Wheels of version ${report.version}, which claim jaxlib ${report.supports.jaxlib} and Python`,
    `${report.supports.python}. Measured: each cell is the same wheel file, installed and smoke-tested.`,
    '',
    ...RESULTS.map((result) => `- ${SIGNS[result].sign} ${SIGNS[result].words}: ${countsOf(report)[result]}`),
    '',
    ...missing(report),
    ...disagreements(report),
    ...sectionsOf(report).flatMap(section),
    ...onMoreMachines(report),
  ].join('\n');
}

function missing(report: MatrixReport): string[] {
  const lines = missingPythons(report);
  return lines.length === 0 ? [] : [...lines.map((line) => `- ${line} (\`PIPELINE_PYTHONS\` names more).`), ''];
}

function disagreements({ disagreements: found }: MatrixReport): string[] {
  if (found.length === 0) return ['The claim and the results agree.', ''];
  return ['**The claim and the results disagree:**', '', ...found.map((line) => `- ${line}`), ''];
}

function onMoreMachines({ forecast }: MatrixReport): string[] {
  const rows = timesOf(forecast).map(({ runners, time }) => `| ${runners} | ${time} |`);
  return ['## On more machines', '', basisOf(forecast), '', '| machines | time |', '| --: | --: |', ...rows, ''];
}

function section(table: Section): string[] {
  const { title, wheel, runtime, compiler, pythons, frameworks, compilers } = table;
  const told = [...frameworks, ...compilers].flatMap(({ cells }) => cells).filter(({ command }) => command !== '');
  return [
    `## ${title}`,
    '',
    `\`${wheel}\`, IREE runtime ${runtime}; with compiler ${compiler}:`,
    '',
    ...markdownTable(['jaxlib', ...pythons.map((python) => `Python ${python}`)], frameworks),
    ...(compilers.length === 0
      ? []
      : [
          'With other compilers:',
          '',
          ...markdownTable(['compiler', ...pythons.map((python) => `Python ${python}`)], compilers),
        ]),
    ...reasons(told),
  ];
}

function markdownTable(head: readonly string[], rows: readonly Row[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, index) => (index === 0 ? '---' : ':-:'));
  return [line(head), line(rule), ...rows.map(({ title, cells }) => line([title, ...cells.map(signOf)])), ''];
}

/** What was said by the cells that did not work. */
function reasons(cells: readonly MatrixCell[]): string[] {
  const told = cells.filter(({ result }) => result === 'fails' || result === 'refused');
  return told.length === 0
    ? []
    : [...told.map(({ id, result, reason = '' }) => `- \`${id}\` ${result}: ${reason}`), ''];
}

function signOf({ result }: MatrixCell): string {
  return SIGNS[result].sign;
}
