// SPDX-License-Identifier: Apache-2.0
// Builds of a developer's own: which they are, by their files, and what becomes of the versions.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { InputContext, JsonObject } from '../../engine/api.js';
import { PipelineFailure, type Failure } from '../../engine/failure.js';
import type { IreeRow } from '../../stages/lib/compat/rows.js';
import { localBuildsOf, stablehloOf } from '../../stages/lib/local/builds.js';
import { commitInLabel, compilerAt } from '../../stages/lib/local/compiler.js';
import { filesOf } from '../../stages/lib/local/files.js';
import { packagesFor } from '../../stages/lib/local/install.js';
import { pathsOf } from '../../stages/lib/local/settings.js';
import type { LocalBuilds } from '../../stages/lib/local/types.js';
import { wheelsAt } from '../../stages/lib/local/wheels.js';
import { gridOf, pointOf } from '../../stages/lib/matrix/grid.js';
import { wheelVersion } from '../../stages/lib/native-tree.js';
import { parseWheelName, serves } from '../../stages/lib/wheel-name.js';
import { compilerRange } from '../../stages/render-packages/context.js';
import { SOURCES } from '../rigs/matrix.js';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'local-builds-'));
let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(scratch, 'case-'));
});
afterAll(() => {
  fs.rmSync(scratch, { recursive: true, force: true });
});

function write(file: string, text = ''): string {
  const full = path.join(folder, file);
  fs.mkdirSync(path.dirname(full), { recursive: true });
  fs.writeFileSync(full, text);
  return full;
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (error instanceof PipelineFailure) return error.failure;
  throw new Error(`no failure: ${String(error)}`);
}

const LINUX = 'manylinux_2_28_x86_64';
const COMPILER = `iree_base_compiler-3.14.0.dev0+0123abc-cp311-cp311-${LINUX}.whl`;
const JAXLIB = `jaxlib-0.12.1.dev0+selfbuilt-cp311-cp311-${LINUX}.whl`;
const variant = { id: '', axes: { arch: 'x86_64' } };

function context(settings: Readonly<Record<string, string>>, sources: JsonObject = {}) {
  const root = path.join(import.meta.dirname, '../..');
  return { root, settings, config: { project: {}, sections: { sources }, axes: {} } };
}

describe('the name of a wheel', () => {
  test('distribution, version and tags', () => {
    expect(parseWheelName(`/a/${COMPILER}`)).toEqual({
      name: 'iree-base-compiler',
      version: '3.14.0.dev0+0123abc',
      pythons: ['cp311'],
      abis: ['cp311'],
      platforms: [LINUX],
    });
    expect(parseWheelName('jaxlib-1.0-1build-py2.py3-none-any.whl')).toMatchObject({ pythons: ['py2', 'py3'] });
    expect(parseWheelName('jaxlib-1.0.tar.gz')).toBeUndefined();
  });

  test.each([
    ['cp311-cp311-manylinux_2_28_x86_64', '3.11', true],
    ['cp311-cp311-manylinux_2_28_x86_64', '3.12', false],
    ['cp311-abi3-linux_x86_64', '3.13', true],
    ['cp312-abi3-linux_x86_64', '3.11', false],
    ['py3-none-any', '3.14', true],
    ['cp311-cp311-manylinux_2_28_aarch64', '3.11', false],
    ['cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64', '3.11', true],
  ])('%s on Python %s: %s', (tags, minor, expected) => {
    const wheel = parseWheelName(`jaxlib-1.0-${tags}.whl`);
    expect(wheel && serves(wheel, minor, 'x86_64')).toBe(expected);
  });
});

describe('where they are', () => {
  test('the command line wins over pipeline.yaml, each part for itself; paths start at pipeline.yaml', () => {
    const { root, ...rest } = context({ 'sources.jaxlib.path': '/b' }, { jaxlib: { path: '/a' }, jax: { path: 'c' } });
    expect(pathsOf({ root, ...rest })).toEqual({ jaxlib: '/b', jax: path.join(root, 'c') });
  });

  test('without any there is nothing', async () => {
    expect(await localBuildsOf(context({}))).toBeUndefined();
    expect(filesOf(undefined)).toEqual([]);
  });

  test('wheels of several Pythons are one package, and other files are not looked at', async () => {
    const files = [11, 12].map((minor) => write(`jaxlib-0.12.0.1-cp3${minor}-cp3${minor}-${LINUX}.whl`));
    write('jaxlib-0.1.tar.gz');
    write(`jaxlib_extra-9-py3-none-any.whl`);
    expect(await wheelsAt(folder, 'jaxlib', 'S')).toEqual({ package: 'jaxlib', version: '0.12.0.1', files });
  });

  test('a jax beside jaxlib belongs to it, unless another is named', async () => {
    write(JAXLIB);
    const beside = write('jax-0.12.1.dev0-py3-none-any.whl');
    const elsewhere = write('other/jax-0.12.1.dev1-py3-none-any.whl');
    const settings = { 'sources.jaxlib.path': folder };
    expect((await localBuildsOf(context(settings)))?.jax?.files).toEqual([beside]);
    expect((await localBuildsOf(context({ ...settings, 'sources.jax.path': elsewhere })))?.jax?.files).toEqual([
      elsewhere,
    ]);
    expect(await localBuildsOf(context({ 'sources.jaxlib.path': path.join(folder, JAXLIB) }))).not.toHaveProperty(
      'jax',
    );
  });
});

describe('what cannot be used is refused', () => {
  test.each<[string, readonly string[], string, RegExp]>([
    [
      'two versions',
      ['jaxlib-1.0-py3-none-any.whl', 'jaxlib-1.1-py3-none-any.whl'],
      '',
      /several versions: 1\.0, 1\.1$/,
    ],
    ['a folder without wheels', ['notes.txt'], '', /holds no jaxlib-\*\.whl$/],
    ['a path that is not there', [], 'nowhere', /there is no .*nowhere$/],
    ['a wheel of another package', ['jax-1.0-py3-none-any.whl'], 'jax-1.0-py3-none-any.whl', /holds no jaxlib/],
  ])('%s', async (_, files, place, message) => {
    for (const file of files) write(file);
    const failure = await failureOf(localBuildsOf(context({ 'sources.jaxlib.path': path.join(folder, place) })));
    expect(failure).toMatchObject({ kind: 'usage', message: expect.stringMatching(message) as string });
  });

  test('a link to nothing', async () => {
    fs.symlinkSync('/nowhere', path.join(folder, JAXLIB));
    expect(await failureOf(localBuildsOf(context({ 'sources.jaxlib.path': folder })))).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('is not a file that can be read') as string,
    });
  });

  test('no wheel and no library; a library that tells no release', async () => {
    expect(await failureOf(compilerAt(folder, 'S'))).toMatchObject({
      kind: 'usage',
      message: `S: ${folder} holds no iree_base_compiler-*.whl and no libIREECompiler.so`,
    });
    write('libIREECompiler.so', 'ELF');
    expect(await failureOf(compilerAt(folder, 'S'))).toMatchObject({
      message: expect.stringContaining('does not say which release it is of') as string,
    });
  });
});

describe('which release a compiler is of', () => {
  const package_ = 'iree-base-compiler';

  test('a wheel says it in its name', async () => {
    const file = write(COMPILER);
    const found = { package: package_, version: '3.14.0.dev0+0123abc', files: [file] };
    expect(await compilerAt(folder, 'S')).toEqual(found);
    expect(await compilerAt(file, 'S')).toEqual(found);
  });

  test.each([
    ['build/lib', 'build'],
    ['build/compiler/bindings/python/iree/compiler/_mlir_libs', 'build'],
    ['build/compiler/bindings/python/iree/compiler/_mlir_libs', 'build/compiler/bindings/python'],
    ['build/lib', 'build/lib/libIREECompiler.so'],
  ])('a library in %s, by the checkout that CMake was given', async (place, named) => {
    write('iree/runtime/version.json', '{"package-version": "3.14.0.dev"}');
    write('build/CMakeCache.txt', `X:BOOL=ON\nCMAKE_HOME_DIRECTORY:INTERNAL=${path.join(folder, 'iree')}\n`);
    const library = write(`${place}/libIREECompiler.so`);
    expect(await compilerAt(path.join(folder, named), 'S')).toEqual({
      package: package_,
      version: '3.14.0.dev0',
      files: [library],
    });
    write('iree/runtime/version_local.json', '{"package-version": "3.14.0rc20261101"}');
    expect((await compilerAt(path.join(folder, named), 'S')).version).toBe('3.14.0rc20261101');
  });

  test.each([
    ['3.14.0.dev0+0123abc', '0123abc'],
    ['3.14.0.dev0+local', undefined],
    ['3.14.0', undefined],
  ])('the commit in %s is %s', (version, commit) => {
    expect(commitInLabel(version)).toBe(commit);
  });

  test('a library of a release, by its own words, also across two reads', async () => {
    const commit = 'c'.repeat(40);
    const MIB = 1024 ** 2;
    write('libIREECompiler.so', `${'\0'.repeat(4 * MIB - 20)}3.13.0rc20261016 @ ${commit}\0`);
    expect(await compilerAt(folder, 'S')).toMatchObject({ version: '3.13.0rc20261016', commit });
  });

  test('a package, by its version.py', async () => {
    write('iree/compiler/_mlir_libs/libIREECompiler.so');
    write('iree/compiler/version.py', `VERSION = "3.13.0"\nREVISIONS = {"IREE": "${'d'.repeat(40)}"}\n`);
    expect(await compilerAt(folder, 'S')).toMatchObject({ version: '3.13.0', commit: 'd'.repeat(40) });
  });

  test.each([
    ['3.13.0', '1.22.0'],
    ['3.13.0.dev0+abc', '1.17.0'],
    ['3.13.0rc1', '1.17.0'],
    ['3.14.0.dev0', '1.22.0'],
    ['3.12.1', '1.17.0'],
  ])('%s is sure to read StableHLO %s', (version, expected) => {
    const rows = [
      ['3.12.0', '1.17.0'],
      ['3.13.0', '1.22.0'],
    ].map(([version_, stablehlo]) => ({ version: version_, stablehlo })) as unknown as IreeRow[];
    expect(stablehloOf(version, rows)).toBe(expected);
    expect(() => stablehloOf('3.1.0', rows)).toThrow('nothing is known of a compiler as old as 3.1.0');
  });
});

describe('what is installed', () => {
  const local = (file: string): LocalBuilds => ({
    compiler: { package: 'iree-base-compiler', version: '3.14.0.dev0', files: [file], stablehlo: '1.22.0' },
  });
  const wanted = { jaxlib: 'jaxlib==0.10.2', 'iree-base-compiler': 'iree-base-compiler==3.14.0.dev0' };
  const where = () => ({ tempDir: folder, variant });

  test('the wheel of this Python, by its path; the rest from the registry', async () => {
    const { requirements, compilerLibrary } = await packagesFor(where(), local(`/w/${COMPILER}`), '3.11', wanted);
    expect(requirements).toEqual(['jaxlib==0.10.2', `/w/${COMPILER}`]);
    expect(compilerLibrary).toBeUndefined();
  });

  test('no wheel of this Python: those that there are', async () => {
    expect(await failureOf(packagesFor(where(), local(`/w/${COMPILER}`), '3.12', wanted))).toMatchObject({
      kind: 'resolution',
      message: 'no wheel of your iree-base-compiler 3.14.0.dev0 is for Python 3.12 on x86_64',
      detail: `there is cp311-cp311-${LINUX}`,
    });
  });

  test('a library is linked into a package of its version', async () => {
    const packages = await packagesFor(where(), local('/b/libIREECompiler.so'), '3.13', wanted);
    const wheel = packages.requirements[1] ?? '';
    expect(path.basename(wheel)).toBe('iree_base_compiler-3.14.0.dev0-py3-none-any.whl');
    expect(fs.existsSync(wheel)).toBe(true);
    expect(packages.compilerLibrary).toBe('/b/libIREECompiler.so');
    expect(await packagesFor(where(), local('/b/l.so'), '3.13', { jax: 'jax' })).toEqual({ requirements: ['jax'] });
  });
});

describe('the wheel that is made', () => {
  const input = (axes: Readonly<Record<string, string>>): InputContext =>
    ({
      variant: { id: '', axes },
      config: { project: { version: '0.1.0' }, sections: {}, axes: {} },
    }) as unknown as InputContext;

  test.each([
    [{ iree: '3.13' }, { iree: '3.13.0', local: false }, '0.1.0.3.13'],
    [{ iree: '3.13' }, { iree: '3.14.0', local: true }, '0.1.0.3.14+head'],
    [{ iree: '3.13', flavour: 'asan' }, { iree: '3.13.0', local: true }, '0.1.0.3.13+asan.head'],
    [{}, { iree: '3.13.0', local: true }, '0.1.0+head'],
  ])('%j of %j is %s', (axes, made, expected) => {
    expect(wheelVersion(input(axes), made)).toBe(expected);
  });

  test('requires the compiler of its release, of a developer’s own before it is released', () => {
    expect(compilerRange({ iree: '3.13.0', local: false })).toBe('>=3.13.0,<3.14');
    expect(compilerRange({ iree: '3.14.0rc20261101', local: true })).toBe('>=3.14.0.dev0,<3.15');
  });
});

describe('the grid', () => {
  const own = (name: string, version: string) => ({ package: name, version, files: [] });

  test('a jaxlib has cells of its own beside those of the release of its number', () => {
    const grid = gridOf({ ...SOURCES, local: { jaxlib: own('jaxlib', '0.7.1') } });
    const cells = grid.cells.filter(({ local, runs }) => local && runs);
    expect(cells.map(pointOf)).toEqual([
      { jaxlib: '0.7.1-local', python: '3.11', compiler: '3.11.0' },
      { jaxlib: '0.7.1-local', python: '3.12', compiler: '3.11.0' },
    ]);
    expect(cells.every(({ claimed }) => claimed)).toBe(true);
    const others = (of: typeof grid) => of.cells.filter(({ local, runs }) => !local && runs).map(pointOf);
    expect(others(grid)).toEqual(others(gridOf(SOURCES)));
  });

  test('is not run on a Python that it has no wheel for', () => {
    const local = { jaxlib: own('jaxlib', '0.12.1.dev0') };
    const grid = gridOf({ ...SOURCES, local, localServes: (python) => python === '3.12' });
    expect(grid.cells.filter((cell) => cell.local && cell.runs).map(({ python }) => python)).toEqual(['3.12']);
  });

  test('a compiler takes the place of those of its release', () => {
    const compiler = { ...own('iree-base-compiler', '3.11.1.dev0'), stablehlo: '1.13.0' };
    const iree = { ...SOURCES.iree, compiler: { ...SOURCES.iree.compiler, version: compiler.version } };
    const grid = gridOf({ ...SOURCES, iree, local: { compiler } });
    expect(grid.runtime).toBe('3.11.1.dev0');
    const works = grid.cells.filter(({ claimed }) => claimed);
    expect(new Set(works.map((cell) => pointOf(cell)['compiler']))).toEqual(new Set(['3.11.1.dev0-local']));
    expect(grid.cells.filter(({ barrier, runs }) => barrier === 'compiler-release' && runs)).toHaveLength(2);
  });
});
