// SPDX-License-Identifier: Apache-2.0
import type { TestOutcome } from '../artifacts.js';
import type { Line } from './lines.js';
import type { ReleasesPair, TestChange } from './report.js';
import type { Timings } from './timings.js';

/** What is otherwise on the newer line. Timings count where they are of these very libraries. */
export function comparePair(before: Line, after: Line, timings: Timings | undefined): ReleasesPair {
  const tests = [...new Set([...before.outcomes.keys(), ...after.outcomes.keys()])].sort();
  const changes = tests.map((test): TestChange => {
    return { test, before: before.outcomes.get(test) ?? 'absent', after: after.outcomes.get(test) ?? 'absent' };
  });
  const same = timings?.before.library === before.library && timings.after.library === after.library;
  return {
    before: headOf(before),
    after: headOf(after),
    broken: changes.filter((change) => change.before === 'passed' && change.after !== 'passed'),
    mended: changes.filter((change) => change.before !== 'passed' && change.after === 'passed'),
    failing: changes
      .filter((change) => change.before === 'failed' && change.after === 'failed')
      .map(({ test }) => test),
    timings: timings !== undefined && same ? timings.rows : null,
  };
}

function headOf({ variant, iree, outcomes }: Line): ReleasesPair['before'] {
  const count = (wanted: TestOutcome): number => [...outcomes.values()].filter((end) => end === wanted).length;
  return { variant, iree, passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}
