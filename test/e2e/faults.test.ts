// SPDX-License-Identifier: Apache-2.0
/**
 * A release that is disturbed: interrupted, broken, killed, doubled. The tests share one checkout, so their order
 * matters: each goes on from where the one before it left off. The native build is that of the other line of IREE,
 * which variants.test.ts needs.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Event } from '../../engine/events/event.js';
import {
  HERE,
  handOver,
  makeCheckout,
  removeCheckouts,
  sha256,
  type Checkout,
  type Snapshot,
} from '../rigs/checkout.js';
import { failureIn, linesOf, processesOf, ranIn, says, type PipelineResult } from '../rigs/pipeline-run.js';

const BUILT = 'cpu-release-iree3.11';
const BUILD = `build-native[${BUILT}]`;
const RELEASE = ['run', 'release', '--variant', BUILT];
const ONLY_BUILD = [...RELEASE, '--only', 'build-native', '--json'];
const PACK = 'pack-wheels[cpu-release]';
const SMOKE = 'smoke-test[cpu-release]';
const STATUS = 'native/src/base/status.cc';
const SHAPE = 'native/src/base/shape.cc';
/** The object that both are compiled into: a folder's sources are one translation unit. */
const ROOM = 'Unity/unity_src_base_cxx.cxx.o';
const TEMPLATE = 'wheel-templates/iree_pjrt_plugin/src/jax_plugins/iree___device__/_errors.py';

let checkout: Checkout;
/** What is published, before a test that must not change it. */
let seeded: Snapshot;
/** Sources as they were, to mend what a test breaks. */
const sources = new Map<string, string>();
beforeAll(async () => {
  checkout = await makeCheckout();
  seeded = checkout.snapshot();
  for (const file of [STATUS, SHAPE, TEMPLATE]) sources.set(file, checkout.read(file));
});
afterAll(removeCheckouts);

function append(file: string, text: string): void {
  checkout.write(file, `${sources.get(file) ?? ''}${text}`);
}

const compiling = says(BUILD, /^\[\d+\/\d+\] Building CXX object/);
const testing: (event: Event) => boolean = (event) =>
  event.type === 'node-line' && event.node === SMOKE && /-m pytest /.test(event.line);

/** ninja's lines, without those of CMake's look for new files. */
function stepsOf(result: PipelineResult): string[] {
  return linesOf(result, BUILD).filter((line) =>
    /^\[\d+\/\d+\] (?!.*(?:Re-checking globbed|Re-running CMake))/.test(line),
  );
}

/** Expects nothing half-made, nothing published, and nothing running. */
function expectWhole(dist: Snapshot): void {
  expect(checkout.leftovers()).toEqual([]);
  expect(checkout.snapshot()).toEqual(dist);
}

let stepsOfWholeBuild = 0;
let resultsBefore = 0;

test('SIGINT in the middle of a compile: 130, no compiler goes on, nothing is half-written', async () => {
  append(STATUS, '\n// Another key, so that the library is built.\n');
  const before = checkout.resultsOf(`build-native@${BUILT}`);
  const run = checkout.start([...RELEASE, '--json'], { signalWhen: { signal: 'SIGINT', event: compiling } });
  await run.saw(compiling, 'a compile');
  const result = await run.ended;
  expect(result.code, result.output).toBe(130);
  expect(failureIn(result)).toMatchObject({ kind: 'cancelled', signal: 'SIGINT' });
  expect(processesOf(checkout.root)).toEqual([]);
  expect(checkout.resultsOf(`build-native@${BUILT}`)).toEqual(before);
  expectWhole(seeded);
  resultsBefore = before.length;
  stepsOfWholeBuild = Number(/^\[\d+\/(\d+)\]/.exec(stepsOf(result)[0] ?? '')?.[1]);
  expect(stepsOfWholeBuild).toBeGreaterThan(100);
});

test('run again, the build goes on where it was and succeeds', async () => {
  const result = await checkout.run(ONLY_BUILD);
  expect(result.code, result.output).toBe(0);
  expect(ranIn(result)).toEqual([BUILD]);
  expect(stepsOf(result).length).toBeLessThan(stepsOfWholeBuild);
  expect(checkout.resultsOf(`build-native@${BUILT}`).length).toBeGreaterThan(resultsBefore);
  expectWhole(seeded);
});

test('a compile error: 9, with the file, the line, the log and what to try', async () => {
  append(SHAPE, '\nint Broken() { return undeclared_name_of_the_test; }\n');
  const line = checkout.read(SHAPE).split('\n').length - 1;
  const { code, stdout, stderr } = await checkout.run([...RELEASE, '--plain']);
  expect(code, stdout).toBe(9);
  expect(stdout).toMatch(new RegExp(`shape\\.cc:${line}:\\d+: error: .*undeclared_name_of_the_test`));
  expect(stdout).toMatch(/^error: build-native\[cpu-release-iree3\.11\]: cmake ended with exit code \d+$/m);
  expect(stdout).toMatch(/^ {2}try: .*error:/m);
  const log = /^ {2}log: (\S+)$/m.exec(stdout)?.[1] ?? '';
  expect(checkout.read(log)).toContain('undeclared_name_of_the_test');
  expect(stdout).toContain(`\nskipped  pack-wheels[${BUILT}]  (${BUILD} failed)\n`);
  expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at \S+ \(/);
  expectWhole(seeded);
});

test('mended: the earlier results hold, nothing is built or packed again', async () => {
  for (const [file, text] of sources) checkout.write(file, text);
  const result = await checkout.run(['run', 'release', '--json']);
  expect(result.code, result.output).toBe(0);
  expect(ranIn(result)).toEqual([]);
  expectWhole(seeded);
});

test('an edit of one file compiles its room, links, and no more', async () => {
  // shape.cc was broken and mended before; from here on the tree is up to date.
  const settled = await checkout.run([...ONLY_BUILD, '--force']);
  expect(settled.code, settled.output).toBe(0);
  await handOver(checkout, BUILD);
  append(SHAPE, '\n// An edit.\n');
  const result = await checkout.run(ONLY_BUILD);
  expect(result.code, result.output).toBe(0);
  const steps = stepsOf(result);
  const built = steps.filter((step) => step.includes(' Building '));
  expect(built).toHaveLength(1);
  expect(built[0]).toContain(ROOM);
  expect(steps.filter((step) => !/ Building | Linking |[Ss]trip|\.debug/.test(step))).toEqual([]);
  expect(steps.length).toBeLessThanOrEqual(4);
});

test('a touch of one file, forced, compiles its room too and no more; unforced it runs nothing', async () => {
  const now = new Date();
  fs.utimesSync(checkout.path(SHAPE), now, now);
  const unforced = await checkout.run(ONLY_BUILD);
  expect(unforced.code, unforced.output).toBe(0);
  expect(ranIn(unforced)).toEqual([]);
  const forced = await checkout.run([...ONLY_BUILD, '--force']);
  expect(forced.code, forced.output).toBe(0);
  expect(stepsOf(forced).filter((step) => step.includes(' Building '))).toEqual([expect.stringContaining(ROOM)]);
});

test('a library with the same bytes is not packed or tested again', async () => {
  const released = await checkout.run([...RELEASE, '--json']);
  expect(released.code, released.output).toBe(0);
  seeded = checkout.snapshot();
  // Two comments, each at the end of a file.
  append(STATUS, '\n// Another key, so that the library is built.\n');
  const result = await checkout.run([...RELEASE, '--json']);
  expect(result.code, result.output).toBe(0);
  expect(ranIn(result)).toEqual([BUILD]);
  expectWhole(seeded);
  const library = (folder: string): Buffer => fs.readFileSync(checkout.path(folder, 'files/pjrt_plugin_iree_cpu.so'));
  const results = checkout.resultsOf(`build-native@${BUILT}`).map(library);
  expect(results.length).toBeGreaterThan(1);
  for (const each of results) expect(each.equals(results[0] ?? Buffer.alloc(0))).toBe(true);
  for (const file of [STATUS, SHAPE]) checkout.write(file, sources.get(file) ?? '');
  // By the sources as they were, this is what others need.
  const again = await checkout.run([...RELEASE, '--json']);
  expect(again.code, again.output).toBe(0);
  expectWhole(seeded);
  for (const node of [`pack-wheels[${BUILT}]`, `smoke-test[${BUILT}]`]) await handOver(checkout, node);
});

test('a library does not know the folder that it was built in', () => {
  const folder = path.join(HERE, '.pipeline', 'out', 'build-native@cpu-release');
  const libraries = fs.readdirSync(folder).map((key) => path.join(folder, key, 'files', 'pjrt_plugin_iree_cpu.so'));
  expect(libraries.length).toBeGreaterThan(0);
  for (const library of libraries) expect(fs.readFileSync(library).includes(HERE)).toBe(false);
});

test('SIGINT while a wheel is packed: 130, no half wheel anywhere', async () => {
  append(TEMPLATE, '\n# An edit.\n');
  const before = checkout.resultsOf('pack-wheels@cpu-release');
  const packing = says(PACK, /hatchling build/);
  const result = await checkout.run(['run', 'release', '--json'], { signalWhen: { signal: 'SIGINT', event: packing } });
  expect(result.code, result.output).toBe(130);
  expect(failureIn(result)).toMatchObject({ kind: 'cancelled', signal: 'SIGINT' });
  expect(checkout.resultsOf('pack-wheels@cpu-release')).toEqual(before);
  expectWhole(seeded);
});

test('SIGTERM while a wheel is tested: 143, dist keeps the wheel that was tested before', async () => {
  const run = checkout.start(['run', 'release', '--json'], { signalWhen: { signal: 'SIGTERM', event: testing } });
  const result = await run.ended;
  expect(result.code, result.output).toBe(143);
  expect(failureIn(result)).toMatchObject({ kind: 'cancelled', signal: 'SIGTERM' });
  expect(ranIn(result)).toContain(PACK);
  expectWhole(seeded);
});

test('two runs at once: one works, the second waits and finds all done, a third that may not wait ends with 12', async () => {
  const first = checkout.start(['run', 'release', '--json']);
  await first.saw(testing, 'the smoke test');
  const third = await checkout.run(['run', 'release', '--no-wait', '--plain']);
  expect(third.code, third.output).toBe(12);
  expect(third.output).toMatch(
    new RegExp(`Another run is at work in this checkout \\(process ${first.child.pid ?? 0}, since \\d{4}-`),
  );
  const second = checkout.start(['run', 'release', '--json']);
  await second.saw((event) => event.type === 'waiting-for-lock', 'that it waits');
  const [one, two] = await Promise.all([first.ended, second.ended]);
  expect(one.code, one.output).toBe(0);
  expect(ranIn(one)).toEqual([SMOKE, 'report-wheels']);
  expect(two.code, two.output).toBe(0);
  expect(ranIn(two)).toEqual([]);
  expect(checkout.leftovers()).toEqual([]);
  // dist/ holds old or new files, never a mixture: these are of the result that was tested, and the wheel is a new one.
  const { dist } = checkout.snapshot();
  const packed = fs.readdirSync(checkout.resultFiles('pack-wheels@cpu-release'));
  const wheel = path.join('dist', packed.find((file) => file.endsWith('.whl')) ?? '');
  expect(Object.keys(dist)).toEqual(Object.keys(seeded.dist));
  expect(dist[wheel]).not.toBe(seeded.dist[wheel]);
  for (const node of ['pack-wheels@cpu-release', 'smoke-test@cpu-release'])
    expect(dist[wheel]).toBe(sha256(fs.readFileSync(path.join(checkout.resultFiles(node), path.basename(wheel)))));
});

test('kill -9 of a run: the next one ends what it left, and is right', async () => {
  const dist = checkout.snapshot();
  const run = checkout.start(['run', 'release', '--json', '--force', '--only', 'smoke-test'], {
    signalWhen: { signal: 'SIGKILL', event: testing },
  });
  expect((await run.ended).code).toBe(137);
  expect(checkout.leftovers().length, 'a killed run cannot tidy up').toBeGreaterThan(0);
  expect(checkout.snapshot()).toEqual(dist);
  const next = await checkout.run(['run', 'release', '--json']);
  expect(next.code, next.output).toBe(0);
  expect(ranIn(next)).toEqual([]);
  expectWhole(dist);
});
