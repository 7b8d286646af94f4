// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import {
  changesOf,
  entriesOn,
  format,
  matches,
  UNCLASSIFIED,
  updated,
  withFiles,
  withLine,
} from '../../stages/jax-tests-check/expected.js';
import { renderChanges } from '../../stages/jax-tests-check/render.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';

const seen = (failed: readonly string[], passed: readonly string[] = [], skipped: readonly string[] = []) => ({
  failed,
  passed,
  skipped,
});
const kinds = (...given: Parameters<typeof changesOf>): string[] =>
  changesOf(...given).map(({ kind, test: name }) => `${kind} ${name}`);

test.each([
  ['T::a', 'T::a', true],
  ['T::a', 'T::ab', false],
  ['T::a*', 'T::ab', true],
  ['*::a', 'T::a', true],
  ['T::f(x)[1]*', 'T::f(x)[1]2', true],
  ['T.*', 'Tx', false],
])('%s against %s', (pattern, name, answer) => {
  expect(matches(pattern, name)).toBe(answer);
});

describe('what differs', () => {
  test('nothing: known failures fail, and only they', () => {
    expect(kinds('f', { 'T::a': 'x', 'T::b*': 'y' }, seen(['T::a', 'T::b1', 'T::b2'], ['T::c']), false)).toEqual([]);
  });

  test('a failure that nobody knows, one that is no more, one whose test is gone, one without a reason', () => {
    const entries = { 'T::fixed': 'x', 'T::gone': 'y', 'T::odd': UNCLASSIFIED };
    expect(kinds('f', entries, seen(['T::new', 'T::odd'], ['T::fixed']), false)).toEqual([
      'new T::new',
      'fixed T::fixed',
      'stale T::gone',
      'unclassified T::odd',
    ]);
  });

  test('a pattern must hold for all its tests; those that are skipped now do not fail either', () => {
    expect(kinds('f', { 'T::a*': 'x' }, seen(['T::a1'], ['T::a2'], ['T::a3']), false)).toEqual([
      'fixed T::a2',
      'fixed T::a3',
    ]);
  });

  test('a test that is said to be flaky may pass or fail', () => {
    const entries = { 'T::a': 'flaky: depends on the clock' };
    expect(kinds('f', entries, seen(['T::a']), false)).toEqual([]);
    expect(kinds('f', entries, seen([], ['T::a']), false)).toEqual([]);
  });

  test('of a part of a file nobody says that a test is gone', () => {
    expect(kinds('f', { 'T::not_run': 'x' }, seen([], ['T::a']), true)).toEqual([]);
  });

  test('it reads like a diff', () => {
    const changes = changesOf('f_test', { 'T::b': 'no lowering' }, seen(['T::a'], ['T::b']), false);
    expect(renderChanges(changes, () => 'TypeError: x')).toEqual([
      'f_test',
      '  + T::a',
      '      fails: TypeError: x',
      '  - T::b',
      '      no longer fails; it was expected to: no lowering',
    ]);
  });
});

describe('an update', () => {
  test('keeps reasons, marks what is new, forgets what is fixed or gone', () => {
    const entries = { 'T::kept': 'x', 'T::fixed': 'y', 'T::gone': 'z' };
    expect(updated(entries, seen(['T::new', 'T::kept'], ['T::fixed']), false)).toEqual({
      'T::kept': 'x',
      'T::new': UNCLASSIFIED,
    });
  });

  test('cases of one test that all fail become one pattern', () => {
    expect(updated({}, seen(['T::a0', 'T::a1', 'T::b0'], ['T::b1']), false)).toEqual({
      'T::a*': UNCLASSIFIED,
      'T::b0': UNCLASSIFIED,
    });
    expect(updated({}, seen(['T::a0', 'T::a1'], ['T::abc']), false)).toEqual({
      'T::a0': UNCLASSIFIED,
      'T::a1': UNCLASSIFIED,
    });
  });

  test('a pattern of which one test is fixed gives the others its reason', () => {
    expect(updated({ 'T::a*': 'x' }, seen(['T::a1', 'T::a2'], ['T::a3']), false)).toEqual({
      'T::a1': 'x',
      'T::a2': 'x',
    });
  });

  test('of a part keeps what was not run', () => {
    expect(updated({ 'T::not_run': 'x', 'T::a': 'y' }, seen([], ['T::a']), true)).toEqual({ 'T::not_run': 'x' });
  });

  test('done twice changes nothing, and what it leaves has no change but the missing reasons', () => {
    const found = seen(['T::a0', 'T::a1', 'T::b0', 'T::c'], ['T::b1', 'T::d']);
    const once = updated({ 'T::c': 'x', 'T::d': 'y' }, found, false);
    expect(updated(once, found, false)).toEqual(once);
    expect(new Set(changesOf('f', once, found, false).map(({ kind }) => kind))).toEqual(new Set(['unclassified']));
  });

  test('the file is in a stable order, and what its schema allows', async () => {
    const before = { versions: { '0.11.0': { z_test: { 'T::z': 'x' } } } };
    const after = withFiles(before, '0.10.2', { b_test: { 'T::b': 'y' }, a_test: { 'T::a': 'y' }, empty_test: {} });
    expect(JSON.parse(format(after))).toEqual({
      versions: {
        '0.10.2': { a_test: { 'T::a': 'y' }, b_test: { 'T::b': 'y' } },
        '0.11.0': { z_test: { 'T::z': 'x' } },
      },
    });
    expect(format(after).indexOf('a_test')).toBeLessThan(format(after).indexOf('b_test'));
    expect(await checkAgainst('conformance-expected', after)).toEqual([]);
    expect(
      await checkAgainst('conformance-expected', { versions: { '0.10.2': { a_test: { 'T::a': '' } } } }),
    ).not.toEqual([]);
  });
});

describe('release lines of IREE', () => {
  const LINES = ['3.13', '3.11'];
  const at = (line: string) => ({ line, lines: LINES });

  test('a reason is for all lines, or for those that it names', () => {
    const entries = { 'T::a': 'everywhere', 'T::b': { '3.11': 'only there' } };
    expect(entriesOn('3.11', entries)).toEqual({ 'T::a': 'everywhere', 'T::b': 'only there' });
    expect(entriesOn('3.13', entries)).toEqual({ 'T::a': 'everywhere' });
    expect(entriesOn('3.13', undefined)).toEqual({});
  });

  test('what is mended on one line stays expected on the other', () => {
    const before = { 'T::a': 'x', 'T::b': 'y' };
    const after = withLine(before, at('3.13'), { 'T::b': 'y' });
    expect(after).toEqual({ 'T::a': { '3.11': 'x' }, 'T::b': 'y' });
    expect(withLine(after, at('3.11'), { 'T::b': 'y' })).toEqual({ 'T::b': 'y' });
  });

  test('a new failure is expected where it was seen; once both lines have it, it is said once', () => {
    const once = withLine({}, at('3.13'), { 'T::new': UNCLASSIFIED });
    expect(once).toEqual({ 'T::new': { '3.13': UNCLASSIFIED } });
    expect(withLine(once, at('3.11'), { 'T::new': UNCLASSIFIED })).toEqual({ 'T::new': UNCLASSIFIED });
    expect(withLine(once, at('3.11'), { 'T::new': 'another' })).toEqual({
      'T::new': { '3.11': 'another', '3.13': UNCLASSIFIED },
    });
  });

  test('a line that is no longer an axis value is forgotten; one that no axis names counts', () => {
    expect(withLine({ 'T::a': { '3.9': 'x' } }, at('3.13'), {})).toEqual({});
    expect(withLine({}, { line: '3.13', lines: [] }, { 'T::a': 'x' })).toEqual({ 'T::a': 'x' });
  });

  test('the schema takes reasons by line, and no others', async () => {
    const file = (reason: unknown) => ({ versions: { '0.10.2': { nn_test: { 'T::a': reason } } } });
    expect(await checkAgainst('conformance-expected', file({ '3.11': 'x' }))).toEqual([]);
    expect(await checkAgainst('conformance-expected', file({ newest: 'x' }))).not.toEqual([]);
    expect(await checkAgainst('conformance-expected', file({}))).not.toEqual([]);
  });
});
