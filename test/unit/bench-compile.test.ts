// SPDX-License-Identifier: Apache-2.0
// What `bench:compile` prints.
import { expect, test } from 'vitest';
import { compileTable, compileText, type CompileRow } from '../../bench/compilation/text.js';

const ROW: CompileRow = {
  what: 'a program',
  xla: 0.5,
  ours: 1,
  phases: {
    session: 1,
    rewrite: 9,
    input: 20,
    flow: 100,
    stream: 50,
    passes: 5,
    'executable-targets': 300,
    hal: 500,
    vm: 15,
  },
  passes: { KeepInputs: 0.4, FillParts: 2, SplitSums: 3 },
};

test('a program has its times, its phases in order, the slowest passes first', () => {
  const lines = compileText(ROW, true);
  expect(lines[1]).toBe('  1.00 s, XLA:CPU 500 ms: 2.00×');
  expect(lines[2]).toMatch(/^ {2}session 1.00 ms {3}rewrite 9.00 ms {3}input/);
  expect(lines.slice(-3)).toEqual(['  our passes:', '  SplitSums 3.00 ms   FillParts 2.00 ms', '']);
  expect(lines.every((line) => line.length <= 80)).toBe(true);
  expect(compileText(ROW, false).join()).not.toContain('SplitSums');
});

test('a row of the table adds up what has no column', () => {
  expect(compileTable([ROW]).at(-1)).toBe('| a program | 500 ms | 1.00 s | 2.00× | 20 | 100 | 50 | 800 | 30 |');
});
