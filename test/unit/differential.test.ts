// SPDX-License-Identifier: Apache-2.0
// Random programs: what a search tells, counted and written.
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../bench/differential/markdown.js';
import { progressText } from '../../bench/differential/progress.js';
import { Tally } from '../../bench/differential/tally.js';

function tallyOf(findings: number): Tally {
  const tally = new Tally({ seconds: 60, seed: 7, library: 'abc', date: '2026-11-25' });
  tally.add({ what: 'program', seconds: 1, operations: ['sort', 'sort', 'pad'] });
  tally.add({ what: 'program', seconds: 1, operations: ['sort'] });
  for (let index = 0; index < findings; index += 1) {
    tally.add({ what: 'shrinking', kind: 'wrong', message: '' });
    tally.add({ what: 'finding', kind: 'wrong', message: '1 here, 2 there', source: 'print(1)' });
    tally.add({ what: 'again', kind: 'wrong', operations: ['sort'] });
  }
  return tally;
}

test('an operation counts once for each program', () => {
  expect([...tallyOf(0).operations]).toEqual([
    ['sort', 2],
    ['pad', 1],
  ]);
});

test('the page has what ran, and each finding as it can be run', () => {
  expect(renderMarkdown(tallyOf(0))).toContain('`sort` 2, `pad` 1');
  expect(renderMarkdown(tallyOf(0))).toContain('None.');
  const text = renderMarkdown(tallyOf(2));
  expect(text).toContain('2 programs ran; 2 findings, 2 more failures');
  expect(text).toContain('### 2. wrong');
  expect(text).toContain('```python\nprint(1)\n```');
});

test('progress fits in a terminal of 80 columns', () => {
  expect(progressText(tallyOf(1), 10, 60)).toContain('2 programs, 0.2 a second, 1 finding, ');
  const tally = tallyOf(12);
  tally.add({ what: 'shrinking', kind: 'timeout', message: '' });
  const text = progressText(tally, 3599, 3600);
  expect(text).toContain('shrinking: timeout');
  expect(text.length).toBeLessThan(80);
});
