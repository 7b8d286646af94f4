// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { combinationsOf } from '../../stages/conformance/combinations.js';

test('conformance tests take pairs of values, or all combinations if asked', () => {
  expect(combinationsOf({ settings: {} })).toBe('pairs');
  expect(combinationsOf({ settings: { combinations: 'all' } })).toBe('all');
  expect(() => combinationsOf({ settings: { combinations: 'some' } })).toThrow('pairs or all, not some');
});
