// SPDX-License-Identifier: Apache-2.0
import type { Cause } from './causes.js';
import { MAX_RERUNS } from './file-run.js';
import { testAt } from './label.js';
import type { FileReport, Report } from './report.js';

const WIDTH = 80;
const SHOWN_CAUSES = 12;

/** For the terminal: no line is longer than 80 columns. `whole` names the file with all causes. */
export function renderText(report: Report, whole: string): string {
  const { totals } = report;
  const name = Math.max(4, ...report.files.map(({ file }) => file.length));
  const row = (file: string, ...cells: readonly string[]): string =>
    `${file.padEnd(name)}${cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 0)).join('')}`;
  const causes = report.causes.slice(0, SHOWN_CAUSES);
  return [
    `JAX ${report.tests}'s own tests on ${report.platform} (jaxlib ${report.jaxlib}, IREE ${report.iree}):`,
    `of ${totals.reference} tests that XLA:CPU passes ${totals.passed} pass, ${totals.failed} fail, ${totals.skipped} are skipped`,
    '',
    row('file', 'passed', 'of', 'rate', 'floor', '', 'skip', 'flaky'),
    ...report.files.map((file) => row(file.file, ...cellsOf(file), shown(file.skipped), shown(file.flaky))),
    ...(causes.length === 0 ? [] : ['', 'failures by cause']),
    ...causes.map(({ count, cause }) => fit(`${String(count).padStart(6)}  ${cause}`)),
    ...(report.causes.length > causes.length
      ? [`        and ${report.causes.length - causes.length} more: ${whole}`]
      : []),
    '',
  ].join('\n');
}

const WIDTHS = [7, 6, 8, 6, 6, 6, 6];

function shown(count: number): string {
  return count === 0 ? '' : String(count);
}

function cellsOf({ passed, reference, rate, floor, reached }: FileReport): string[] {
  const verdict = reached === null ? '' : reached ? 'ok' : 'BELOW';
  return [String(passed), String(reference), `${rate.toFixed(2)}%`, `${floor}%`, verdict];
}

function fit(line: string): string {
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}

/** `dist/report/jax-tests-<variant>.md`. */
export function renderMarkdown(report: Report): string {
  const { totals } = report;
  return [
    `# JAX ${report.tests}'s own tests on \`${report.platform}\``,
    '',
    `${report.wheel} (IREE ${report.iree}), JAX ${report.jax}, jaxlib ${report.jaxlib}, Python ${report.python},`,
    `\`JAX_NUM_GENERATED_CASES=${report.generatedCases}\`${report.select === null ? '' : `, only \`-k '${report.select}'\``}.`,
    '',
    `Of ${totals.reference} tests that XLA:CPU passes, ${totals.passed} pass, ${totals.failed} fail and ${totals.skipped} are skipped here.`,
    'A crash or a time-out is a failure of that test. A test that fails is run once more by itself before it',
    `counts as failed (in files with at most ${MAX_RERUNS} failures); one that then passes counts as passed, and as flaky.`,
    "Not counted are tests that JAX keeps for platforms that it names, as `cpu`: the column 'elsewhere'.",
    'Both platforms have the devices that the table says, by what JAX counts before the first test.',
    '',
    '| file | devices | passed | of | rate | floor | | failed | skipped | flaky | elsewhere | seconds: XLA:CPU | here |',
    '| --- | --: | --: | --: | --: | --: | --- | --: | --: | --: | --: | --: | --: |',
    ...report.files.map(
      (file) =>
        `| ${[file.file, file.devices, ...cellsOf(file), file.failed, file.skipped, file.flaky, file.elsewhere, ...file.seconds].join(' | ')} |`,
    ),
    '',
    ...causeTable('Failures by cause', report.causes),
    ...causeTable('Skipped here, not on XLA:CPU, by reason', report.skips),
    '## Failures',
    '',
    ...report.files.flatMap(({ file, failures }) => failures.map(({ test }) => `- \`${testAt(file, test)}\``)),
    '',
  ].join('\n');
}

function causeTable(title: string, causes: readonly Cause[]): string[] {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('`', "'");
  const rows = causes.map(
    ({ count, cause, files, example }) => `| ${count} | \`${cell(cause)}\` | ${files.join(' ')} | \`${example}\` |`,
  );
  return [`## ${title}`, '', '| tests | cause | files | for example |', '| --: | --- | --- | --- |', ...rows, ''];
}
