// SPDX-License-Identifier: Apache-2.0
/** What `npm run bench:releases` measured of two release lines of IREE. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../engine/failure.js';
import { checkAgainst } from '../lib/schema/check.js';

/** Written by bench/releases.ts, in the form of schemas/bench-releases.schema.json. */
export const TIMINGS_FILE = 'dist/report/bench-releases.json';

export interface TimingRow {
  readonly what: string;
  readonly unit: string;
  readonly before: number;
  readonly after: number;
  /** after ÷ before: less than 1 is faster. */
  readonly ratio: number;
}

interface TimedLine {
  readonly variant: string;
  /** Version of IREE's runtime. */
  readonly iree: string;
  /** sha256 of the library that was measured. */
  readonly library: string;
}

export interface Timings {
  readonly before: TimedLine;
  readonly after: TimedLine;
  readonly rows: readonly TimingRow[];
}

/** What two runs may differ by without a reason. */
const NOISE = 0.1;

export function ratioWord({ ratio }: Pick<TimingRow, 'ratio'>): 'faster' | 'slower' | '' {
  if (ratio > 1 + NOISE) return 'slower';
  return ratio < 1 - NOISE ? 'faster' : '';
}

/** A line for each that is so: ` 1.23 × matmul 64`. */
export function timesThatAre(word: 'slower' | 'faster', rows: readonly TimingRow[]): string[] {
  return rows
    .filter((row) => ratioWord(row) === word)
    .map(({ what, ratio }) => `${ratio.toFixed(2).padStart(6)} × ${what}`);
}

/** The last measurement; undefined if there is none. Fails with `usage` if the file is not in its form. */
export async function readTimings(root: string): Promise<Timings | undefined> {
  const text = await readFile(path.join(root, TIMINGS_FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const value = parsed(text);
  const problems = value === undefined ? ['it is not JSON'] : await checkAgainst('bench-releases', value);
  if (problems.length === 0) return value as Timings;
  return fail({
    kind: 'usage',
    message: `${TIMINGS_FILE} is not what npm run bench:releases writes: ${problems.join('; ')}`,
    help: `npm run bench:releases writes it anew; or delete it`,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
