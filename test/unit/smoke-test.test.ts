// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { isForThisMachine } from '../../stages/pack-wheels/tag.js';
import { reportIn } from '../../stages/lib/testing/launcher.js';

test.each([
  ['==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1'],
  ['==12==ERROR: LeakSanitizer: detected memory leaks'],
  ['AddressSanitizer: CHECK failed: sanitizer_posix.cpp:61'],
  ["native/src/client.cc:48:30: runtime error: shift exponent 100 is too large for 32-bit type 'int'"],
])('a report of a sanitizer is found: %s', (line) => {
  expect(reportIn(`..\n${line}\n    #0 0x1 in main\n`)).toBe(line);
});

test.each([[''], ['12 passed in 3 s'], ['RuntimeError: no such device'], ['Suppressions used:\n  3 libpython']])(
  'other output is none: %s',
  (output) => {
    expect(reportIn(output)).toBeUndefined();
  },
);

test('only a linux tag is for the machine that built it', () => {
  expect(isForThisMachine('py3-none-linux_x86_64')).toBe(true);
  expect(isForThisMachine('py3-none-manylinux_2_28_x86_64')).toBe(false);
});
