// SPDX-License-Identifier: Apache-2.0
// Which releases on a registry are new to compat/.
import { expect, test } from 'vitest';
import { newerThan } from '../../measuring/releases.js';

const rows = ['3.1.0', '3.9.0', '3.11.0', '3.11.1'].map((version) => ({ version }));

test('those after all rows, and patches of a known release', () => {
  expect(newerThan(rows, ['3.12.0', '3.9.1', '3.11.0', '3.11.10', '4.0'])).toEqual([
    '3.9.1',
    '3.11.10',
    '3.12.0',
    '4.0',
  ]);
});

test('not those that were passed over: older patches, releases between, release candidates of what is known', () => {
  expect(newerThan(rows, ['2.9', '3.7.1', '3.10.0', '3.1.0', '3.11.0.1', '3.11.1rc2', '3.9'])).toEqual([]);
});

test('by PEP 440: 0.9.0.1 is after 0.9.0, and 0.10 after 0.9', () => {
  expect(newerThan([{ version: '0.9.0' }], ['0.9.0.1', '0.10.0', '0.8.9'])).toEqual(['0.9.0.1', '0.10.0']);
});
