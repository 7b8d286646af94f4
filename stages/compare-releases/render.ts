// SPDX-License-Identifier: Apache-2.0
import type { ReleasesPair, ReleasesReport, TestChange } from './report.js';
import { ratioWord, timesThatAre } from './timings.js';

const WIDTH = 80;
const SHOWN = 20;
const TITLES = { conformance: 'Our conformance tests', 'jax-tests': "JAX's own tests that XLA:CPU passes" };
const NOT_MEASURED = 'The times of these builds are not measured: npm run bench:releases';

/** For the terminal: no line is longer than 80 columns. */
export function renderText({ of, pairs }: ReleasesReport): string {
  return pairs
    .flatMap((pair) => [
      fit(`${TITLES[of]}, ${pair.before.variant} → ${pair.after.variant}:`),
      `  passed ${pair.before.passed} → ${pair.after.passed}, failed ${pair.before.failed} → ${pair.after.failed}`,
      ...listed('newly broken', pair.broken.map(said)),
      ...listed('newly mended', pair.mended.map(said)),
      ...(pair.failing.length === 0 ? [] : [`  fail on both: ${pair.failing.length}`]),
      ...timesOf(pair),
      '',
    ])
    .join('\n');
}

function listed(title: string, lines: readonly string[]): string[] {
  const more = lines.length > SHOWN ? [`    and ${lines.length - SHOWN} more: dist/report/`] : [];
  return [`  ${title}: ${lines.length}`, ...lines.slice(0, SHOWN).map((line) => fit(`    ${line}`)), ...more];
}

function said({ test, before, after }: TestChange): string {
  return `${test} (${before} → ${after})`;
}

function timesOf({ timings }: ReleasesPair): string[] {
  if (timings === null) return [NOT_MEASURED];
  return (['slower', 'faster'] as const).flatMap((word) => listed(word, timesThatAre(word, timings)));
}

function fit(line: string): string {
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}

/** `dist/report/releases-<tests>.md`. */
export function renderMarkdown({ of, pairs }: ReleasesReport): string {
  return ['# Release lines of IREE', '', ...pairs.flatMap((pair) => section(of, pair))].join('\n');
}

function section(of: ReleasesReport['of'], pair: ReleasesPair): string[] {
  const { before, after } = pair;
  return [
    `## ${before.variant} → ${after.variant}`,
    '',
    `| ${TITLES[of]} | IREE ${before.iree} | IREE ${after.iree} |`,
    '| --- | --: | --: |',
    ...(['passed', 'failed', 'skipped'] as const).map((end) => `| ${end} | ${before[end]} | ${after[end]} |`),
    '',
    ...changeTable('Newly broken', pair.broken),
    ...changeTable('Newly mended', pair.mended),
    '### Fail on both',
    '',
    ...(pair.failing.length === 0 ? ['None.'] : pair.failing.map((test) => `- \`${test}\``)),
    '',
    '### Times',
    '',
    ...timeTable(pair),
    '',
  ];
}

function changeTable(title: string, changes: readonly TestChange[]): string[] {
  if (changes.length === 0) return [`### ${title}`, '', 'None.', ''];
  const rows = changes.map(
    ({ test, before, after }) => `| \`${test.replaceAll('|', '\\|')}\` | ${before} | ${after} |`,
  );
  return [`### ${title}`, '', '| test | before | after |', '| --- | --- | --- |', ...rows, ''];
}

function timeTable({ timings, before, after }: ReleasesPair): string[] {
  if (timings === null) return [`${NOT_MEASURED}.`];
  return [
    `| | IREE ${before.iree} | IREE ${after.iree} | ratio | |`,
    '| --- | --: | --: | --: | --- |',
    ...timings.map((row) => {
      const figures = [row.before, row.after].map((value) => `${value.toPrecision(3)} ${row.unit}`);
      return `| ${row.what} | ${figures.join(' | ')} | ${row.ratio.toFixed(2)} | ${ratioWord(row)} |`;
    }),
  ];
}
