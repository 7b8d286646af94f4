// SPDX-License-Identifier: Apache-2.0
// The laws of docs/architecture.md that can be read off the imports.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FILES = globSync(['cli.ts', '{engine,stages,commands,measuring,ci}/**/*.ts'], { cwd: ROOT }).sort();

interface Import {
  readonly from: string;
  /** Path below the root for a file of the project, the package's or built-in module's name otherwise. */
  readonly to: string;
}

const IMPORTS: readonly Import[] = (
  await Promise.all(
    FILES.map(async (from) => {
      const { importedFiles } = ts.preProcessFile(await readFile(join(ROOT, from), 'utf8'), true, true);
      return importedFiles.map(({ fileName }) => ({
        from,
        to: fileName.startsWith('.')
          ? relative(ROOT, join(ROOT, dirname(from), fileName)).replace(/\.js$/, '.ts')
          : fileName.replace(/^node:/, ''),
      }));
    }),
  )
).flat();

const offenders = (bad: (edge: Import) => boolean): string[] =>
  IMPORTS.filter(bad).map(({ from, to }) => `${from} imports ${to}`);

test('the engine knows no stage, no command', () => {
  expect(
    offenders(({ from, to }) => from.startsWith('engine/') && /^(stages|commands|measuring|ci)\/|^cli\.ts$/.test(to)),
  ).toEqual([]);
});

test('a stage imports what the engine offers to stages, the artifact types, stages/lib and itself', () => {
  const allowed = /^(engine\/(api|failure)\.ts|stages\/artifacts\.ts|stages\/lib\/.*)$/;
  const bad = ({ from, to }: Import): boolean => {
    const room = /^stages\/([^/]+)\//.exec(from)?.[1];
    if (room === undefined || !/^(engine|stages|commands|measuring|ci)\/|^cli\.ts$/.test(to)) return false;
    return !allowed.test(to) && !to.startsWith(`stages/${room}/`);
  };
  expect(offenders(bad)).toEqual([]);
});

test('a CI service knows the engine and itself', () => {
  const bad = ({ from, to }: Import): boolean => {
    const service = /^ci\/[^/]+\//.exec(from)?.[0];
    return service !== undefined && /^(stages|commands|measuring|ci)\/|^cli\.ts$/.test(to) && !to.startsWith(service);
  };
  expect(offenders(bad)).toEqual([]);
});

test('only cli.ts and the registry name rooms', () => {
  const bad = ({ from, to }: Import): boolean =>
    /^stages\/[^/]+\/index\.ts$/.test(to) && from !== 'stages/registry.ts' && dirname(from) !== dirname(to);
  expect(offenders(bad)).toEqual([]);
});

/** The engine's rooms: one imports from those before it, and from the files that lie in none. */
const ENGINE_ROOMS = ['base', 'machine', 'events', 'cache', 'config', 'plan', 'results', 'legs', 'estimate', 'run'];

/** `engine/plan/plan.ts` is in room 5; a file in no room is below all of them. */
function engineStorey(file: string): number {
  const room = /^engine\/([^/]+)\//.exec(file)?.[1];
  return room === undefined ? -1 : ENGINE_ROOMS.indexOf(room);
}

const looksUp = ({ from, to }: Import): boolean =>
  from.startsWith('engine/') && to.startsWith('engine/') && engineStorey(to) > engineStorey(from);

test("the engine's rooms look downwards only", () => {
  const rooms = new Set(FILES.flatMap((file) => /^engine\/([^/]+)\//.exec(file)?.[1] ?? []));
  expect([...rooms].sort()).toEqual([...ENGINE_ROOMS].sort());
  expect(offenders(looksUp)).toEqual([]);
  expect(looksUp({ from: 'engine/plan/plan.ts', to: 'engine/run/execute.ts' })).toBe(true);
  expect(looksUp({ from: 'engine/failure.ts', to: 'engine/base/files.ts' })).toBe(true);
  expect(looksUp({ from: 'engine/run/execute.ts', to: 'engine/api.ts' })).toBe(false);
});

test('engine/machine/process.ts is the only door to child processes', () => {
  const doors = new Set(['execa', 'child_process', 'zx', 'cross-spawn']);
  expect(offenders(({ from, to }) => doors.has(to) && from !== 'engine/machine/process.ts')).toEqual([]);
});

test('the engine never says what is built with it', async () => {
  const engine = FILES.filter((file) => file.startsWith('engine/'));
  const found: string[] = [];
  for (const file of engine) {
    const text = await readFile(join(ROOT, file), 'utf8');
    if (/\b(wheels?|iree|jax|jaxlib|pjrt)\b/i.test(text)) found.push(file);
  }
  expect(found).toEqual([]);
});

test('files are short and say their licence', async () => {
  const bad: string[] = [];
  for (const file of FILES) {
    const lines = (await readFile(join(ROOT, file), 'utf8')).split('\n');
    if (lines.length > 400) bad.push(`${file} has ${lines.length} lines`);
    if (lines[0] !== '// SPDX-License-Identifier: Apache-2.0') bad.push(`${file} lacks the licence line`);
  }
  expect(bad).toEqual([]);
});

test('a unit test can neither start a program nor connect', async () => {
  const { spawn } = await import('node:child_process');
  expect(() => spawn('true')).toThrow('a unit test may not start a program');
  const { connect } = await import('node:net');
  expect(() => connect(9, '127.0.0.1')).toThrow('a unit test may not open a connection');
});
