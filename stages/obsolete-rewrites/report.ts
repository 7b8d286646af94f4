// SPDX-License-Identifier: Apache-2.0
import type { Pass } from './passes.js';

export interface Row extends Pass {
  /** `needed`: a test fails without it. `obsolete`: none does. `untested`: it changes the program of no test. */
  readonly verdict: 'needed' | 'obsolete' | 'untested';
  /** How many tests' programs it changes. */
  readonly tests: number;
  /** The first test that failed without it. */
  readonly failure?: string;
}

/** `report/obsolete-rewrites-<variant>.json`. */
export interface Report {
  readonly platform: string;
  /** Version of IREE's compiler. */
  readonly iree: string;
  readonly rows: readonly Row[];
}

const WIDTH = 80;

/** For the terminal: no line is longer than 80 columns. */
export function renderText({ platform, iree, rows }: Report): string {
  const part = (verdict: Row['verdict'], title: string, detail: (row: Row) => string): string[] => {
    const found = rows.filter((row) => row.verdict === verdict);
    if (found.length === 0) return [];
    return [
      '',
      `${title}: ${found.length}`,
      ...found.flatMap((row) => [fit(`  ${head(row)}`), fit(`    ${detail(row)}`)]),
    ];
  };
  return [
    `Rewrites of ${platform} on IREE ${iree}, each left out: ${rows.length}`,
    ...part(
      'obsolete',
      'No test fails without them (some only make programs faster)',
      ({ tests, why }) => `${tests} ${tests === 1 ? 'test passes' : 'tests pass'}: ${why}`,
    ),
    ...part('untested', 'They change the program of no test', ({ why }) => why),
    ...part('needed', 'Needed', ({ failure = '' }) => failure),
    '',
  ].join('\n');
}

function head({ phase, name }: Row): string {
  return `${phase.padEnd(10)} ${name}`;
}

function fit(line: string): string {
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}
