// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { diagnosticAt } from '../../engine/base/code-frame.js';
import { byPosition, formatDiagnostic, formatDiagnostics } from '../../engine/diagnostic.js';
import { nearest, suggest } from '../../engine/base/nearest.js';

const TEXT = 'first: 1\nsecond: two\nthird: 3\n';
const RANGE = { file: 'a.yaml', line: 2, column: 9, endLine: 2, endColumn: 12 };

test('position, message, frame with a squiggle, help', () => {
  expect(formatDiagnostic(diagnosticAt(TEXT, RANGE, 'wrong', 'write 2'))).toEqual([
    'a.yaml:2:9: error: wrong',
    '  1 | first: 1',
    '> 2 | second: two',
    '    |         ^^^',
    '  3 | third: 3',
    '  help: write 2',
  ]);
});

test('a range over several lines is marked on its first', () => {
  const frame = diagnosticAt(TEXT, { ...RANGE, column: 1, endLine: 3, endColumn: 9 }, 'wrong').frame;
  expect(frame).toContain('    | ^^^^^^^^^^^');
});

test('without the text there is no frame', () => {
  expect(formatDiagnostic(diagnosticAt('', RANGE, 'wrong'))).toEqual(['a.yaml:2:9: error: wrong']);
});

test('colours go to the squiggle, not to the text', () => {
  const mark = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
  const paint = { red: mark('r'), bold: mark('b'), dim: mark('d'), cyan: mark('c') };
  const lines = formatDiagnostic(diagnosticAt(TEXT, RANGE, 'wrong'), paint);
  expect(lines[0]).toBe('<b>a.yaml:2:9:</b> <r>error:</r> <b>wrong</b>');
  expect(lines[2]).toBe('> 2 | second: two');
  expect(lines[3]).toBe('    |         <r>^^^</r>');
});

test('several are sorted by position and set apart', () => {
  const at = (line: number) => diagnosticAt('', { ...RANGE, line }, `on ${line}`);
  const sorted = [at(3), at(1)].sort(byPosition);
  expect(formatDiagnostics(sorted)).toEqual(['a.yaml:1:9: error: on 1', '', 'a.yaml:3:9: error: on 3']);
});

describe('nearest', () => {
  const words = ['requirements', 'needs', 'build-native', 'pack-wheels'];
  test.each([
    ['reqirements', 'requirements'],
    ['Needs', 'needs'],
    ['native', 'build-native'],
    ['pack_wheels', 'pack-wheels'],
    ['colour', undefined],
    ['x', undefined],
  ])('%s → %s', (word, expected) => {
    expect(nearest(word, words)).toBe(expected);
  });

  test('suggest says what there is to say', () => {
    expect(suggest('neds', words)).toBe(`did you mean 'needs'? allowed: ${words.join(', ')}`);
    expect(suggest('x', [])).toBeUndefined();
  });
});
