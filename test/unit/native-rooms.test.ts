// SPDX-License-Identifier: Apache-2.0
// The storeys of native/src: a room includes only what lies below it. native/README.md has their order.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';

const NATIVE = join(import.meta.dirname, '../../native');
/** Headers that lie in the folder of the family of devices that is built. */
const FAMILY_HEADER = 'device_options.h';
const FAMILIES = new Set(['cpu', 'cuda']);
const ROOM_ROW = /^\| `([a-z]+)\/` \|/gm;
const INCLUDE = /^#include "([^"]+)"/gm;

const names = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name ?? '');

const ROOMS = names(await readFile(join(NATIVE, 'README.md'), 'utf8'), ROOM_ROW);
const FILES = globSync('**/*.{cc,h}', { cwd: join(NATIVE, 'src') }).sort();

/** What is wrong with the includes of a file; `file` and the includes are paths below native/src. */
function offences(file: string, text: string): string[] {
  const [room = ''] = file.split('/');
  return names(text, INCLUDE)
    .filter((include) => include !== FAMILY_HEADER && !/^(iree|xla)\/|^cuda\.h$/.test(include))
    .flatMap((include) => {
      const [target = ''] = include.split('/');
      const says = `${file} includes ${include}`;
      if (!include.includes('/') || !ROOMS.includes(target)) return [`${says}, which is in no room`];
      if (FAMILIES.has(target) && target !== room) return [`${says}, which only that family has`];
      return ROOMS.indexOf(target) > ROOMS.indexOf(room) ? [`${says}, a storey above it`] : [];
    });
}

test('every file is in a room that the README names', () => {
  expect(FILES.filter((file) => !file.includes('/') || !ROOMS.includes(file.split('/')[0] ?? ''))).toEqual([]);
  expect([...new Set(FILES.map((file) => file.split('/')[0]))].sort()).toEqual([...ROOMS].sort());
});

test('rooms look downwards only', async () => {
  const found: string[] = [];
  for (const file of FILES) found.push(...offences(file, await readFile(join(NATIVE, 'src', file), 'utf8')));
  expect(found).toEqual([]);
});

test.each([
  ['base/status.cc', 'compile/compiler.h', 'a storey above it'],
  ['runtime/runtime.h', 'program/cost.h', 'a storey above it'],
  ['pjrt/buffer.cc', 'cpu/large_blocks.h', 'which only that family has'],
  ['cuda/runtime.cc', 'cpu/large_blocks.h', 'which only that family has'],
  ['pjrt/buffer.cc', 'buffer.h', 'which is in no room'],
  ['pjrt/buffer.cc', 'attic/buffer.h', 'which is in no room'],
])('the check sees that %s may not include %s', (file, include, reason) => {
  expect(offences(file, `#include <vector>\n#include "base/status.h"\n#include "${include}"\n`)).toEqual([
    `${file} includes ${include}, ${reason}`,
  ]);
});

test('each pass is in a file of its name, and a test runs it', async () => {
  const text = await readFile(join(NATIVE, 'src/rewrite/pipeline.cc'), 'utf8');
  const passes = [...names(text, /IREE_PJRT_PASS\(k\w+, (\w+)/g), ...names(text, /"([A-Z]\w+)", &/g)].sort();
  expect(passes.length).toBeGreaterThan(30);
  const snake = (name: string): string => name.replace(/(?<!^)(?=[A-Z])/g, '_').toLowerCase();
  const files = new Set(FILES.map((file) => file.replace(/.*\//, '')));
  expect(passes.filter((name) => !files.has(`${snake(name)}.cc`))).toEqual([]);
  const tests = globSync('test/**/*.cc', { cwd: NATIVE });
  const texts = await Promise.all(tests.map((file) => readFile(join(NATIVE, file), 'utf8')));
  expect(passes.filter((name) => !texts.some((test) => new RegExp(`&${name}\\b|\\b${name}\\(`).test(test)))).toEqual(
    [],
  );
});
