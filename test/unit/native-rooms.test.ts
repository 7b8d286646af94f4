// SPDX-License-Identifier: Apache-2.0
// The storeys of native/src: a room includes only what lies below it. native/README.md has their order.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
    .filter((include) => include !== FAMILY_HEADER && !/^(iree|xla|ducc0)\/|^cuda\.h$/.test(include))
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

test('every GoogleTest is built', async () => {
  const tests = globSync('**/*_test.cc', { cwd: join(NATIVE, 'test'), ignore: 'release/**' });
  const built = await readFile(join(NATIVE, 'test/CMakeLists.txt'), 'utf8');
  expect(tests.filter((file) => !file.startsWith('cuda/') && !built.includes(file))).toEqual([]);
});

/** Rooms whose headers the whole runtime includes: nothing of the compiler may come along. */
const OF_THE_RUNTIME = new Set(['pjrt', 'launch', 'transfer', 'runtime']);

/** How headers of the runtime reach the compiler: each chain of includes that ends in `compile/`. */
function reachesCompiler(includes: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  for (const header of [...includes.keys()].filter((file) => OF_THE_RUNTIME.has(file.split('/')[0] ?? ''))) {
    const chains = [[header]];
    const seen = new Set<string>();
    for (let chain = chains.pop(); chain !== undefined; chain = chains.pop()) {
      const last = chain.at(-1) ?? '';
      if (last.startsWith('compile/')) found.push(chain.join(' -> '));
      else if (!seen.has(last)) for (const next of includes.get(last) ?? []) chains.push([...chain, next]);
      seen.add(last);
    }
  }
  return found;
}

test('headers of the runtime do not reach the compiler', async () => {
  const includes = new Map<string, string[]>();
  for (const file of FILES.filter((name) => name.endsWith('.h')))
    includes.set(file, names(await readFile(join(NATIVE, 'src', file), 'utf8'), INCLUDE));
  expect(reachesCompiler(includes)).toEqual([]);
});

test('the check follows headers that headers include', () => {
  const includes = new Map([
    ['launch/execute.h', ['pjrt/client.h']],
    ['pjrt/client.h', ['base/log.h', 'pjrt/topology.h']],
    ['pjrt/topology.h', ['compile/compiler.h']],
    ['compile/compiler.h', ['compile/disk_cache.h']],
  ]);
  expect(reachesCompiler(includes)).toEqual([
    'launch/execute.h -> pjrt/client.h -> pjrt/topology.h -> compile/compiler.h',
    'pjrt/client.h -> pjrt/topology.h -> compile/compiler.h',
    'pjrt/topology.h -> compile/compiler.h',
  ]);
});

/** Tests outside of the rooms: `files` are paths below native/test, `rooms` the folders of native/src. */
function strayTests(files: readonly string[], rooms: ReadonlySet<string>): string[] {
  return files.filter((file) => file.includes('/') && !rooms.has(dirname(file)));
}

test('tests lie in the same rooms', () => {
  const rooms = new Set(FILES.map((file) => dirname(file)));
  expect(strayTests(globSync('**/*.{cc,h}', { cwd: join(NATIVE, 'test') }), rooms)).toEqual([]);
  // What several rooms share lies above them.
  expect(strayTests(['parsed_module.cc', 'rewrite/linalg/a_test.cc', 'attic/b_test.cc', 'mlir/x/c.cc'], rooms)).toEqual(
    ['attic/b_test.cc', 'mlir/x/c.cc'],
  );
});

/** The rows of the table of passes: what stands between the commas that are in no brackets and no string. */
function rowsOf(pipeline: string): string[] {
  const table = /constexpr Pass kPasses\[\] = \{\n(.*?)\n\};/s.exec(pipeline)?.[1] ?? '';
  const rows: string[] = [];
  let row = '';
  let depth = 0;
  for (const [part = ''] of table.matchAll(/"(?:[^"\\]|\\.)*"|./gs)) {
    if (part === '(' || part === '{') depth += 1;
    if (part === ')' || part === '}') depth -= 1;
    if (part === ',' && depth === 0) {
      rows.push(row.trim());
      row = '';
    } else row += part;
  }
  return [...rows, row.trim()].filter((one) => one !== '');
}

/** The pass of a row; empty if the row is written in a way that this does not know. */
const passOf = (row: string): string =>
  /^(?:IREE_PJRT_(?:CPU_|GPU_|OLD_)?PASS\(\s*k\w+,\s*|\{Phase::k\w+,\s*")(\w+)/.exec(row)?.[1] ?? '';

const PIPELINE = await readFile(join(NATIVE, 'src/rewrite/pipeline.cc'), 'utf8');
const PASSES = rowsOf(PIPELINE).map(passOf);

test('rows of the table are read whole, on however many lines they are', () => {
  const rows = rowsOf(
    'constexpr Pass kPasses[] = {\n    IREE_PJRT_PASS(\n        kStablehlo, WidenSums,\n        "a, (b"),\n' +
      '    {Phase::kHal, "EmbedObject",\n     &Object, "c", {.from = {3, 13}}},\n' +
      '    IREE_PJRT_GPU_PASS(kFlow, Turn, "d"),\n    Strange(kVm, Other),\n};\n',
  );
  expect(rows.map(passOf)).toEqual(['WidenSums', 'EmbedObject', 'Turn', '']);
  expect(PASSES.filter((name) => name === '')).toEqual([]);
  expect(PASSES).toEqual(expect.arrayContaining(['RewriteUnsignedOperations', 'PinCapturedValues', 'EmbedObject']));
});

test('each pass that a header declares is in the table', async () => {
  const headers = await Promise.all(
    globSync('src/rewrite/*/passes.h', { cwd: NATIVE }).map((file) => readFile(join(NATIVE, file), 'utf8')),
  );
  const declared = headers.flatMap((text) => names(text, /^\w+ (\w+)\(/gm));
  expect(declared.sort()).toEqual([...PASSES].sort());
});

test('each pass is in a file of its name, and a test runs it', async () => {
  const snake = (name: string): string => name.replace(/(?<!^)(?=[A-Z])/g, '_').toLowerCase();
  const files = new Set(FILES.map((file) => file.replace(/.*\//, '')));
  expect(PASSES.filter((name) => !files.has(`${snake(name)}.cc`))).toEqual([]);
  const tests = globSync('test/**/*.cc', { cwd: NATIVE });
  const texts = await Promise.all(tests.map((file) => readFile(join(NATIVE, file), 'utf8')));
  expect(PASSES.filter((name) => !texts.some((test) => new RegExp(`&${name}\\b|\\b${name}\\(`).test(test)))).toEqual(
    [],
  );
});
