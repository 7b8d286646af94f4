// SPDX-License-Identifier: Apache-2.0
/**
 * Builds from source (docs/at-head.md): a checkout of IREE with a compiler from wheels, a build folder, a jaxlib by path.
 * What is built is the flavour tracing, which no other test builds.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  JaxArtifact,
  MatrixCellArtifact,
  ResolveArtifact,
  SmokeArtifact,
  SourcesArtifact,
  WheelsReport,
} from '../../stages/artifacts.js';
import { releaseOf } from '../../stages/lib/release-of.js';
import { makeCheckout, removeCheckouts, sha256, type Checkout, type Snapshot } from '../rigs/checkout.js';
import { IREE } from '../rigs/locked.js';
import { downloadWheel, makeIreeCheckout, pythonOf, relabelWheel } from '../rigs/own-builds.js';
import { cleanEnv, ranIn, type PipelineResult } from '../rigs/pipeline-run.js';
import { makeMatrixSmall } from '../rigs/small-matrix.js';
import { fieldsOf, readWheel, textOf } from '../rigs/wheel-file.js';
import { writeWheel } from '../rigs/wheel-server.js';

const LINE = releaseOf(IREE);
const VARIANT = 'cpu-tracing';

let checkout: Checkout;
let before: Snapshot;
let rev: string;
/** Wheel of the compiler, called as one that was built at that commit. */
let compiler: string;
let version: string;
beforeAll(async () => {
  checkout = await makeCheckout();
  before = checkout.snapshot();
  rev = makeIreeCheckout(checkout, 'own/iree');
  version = `${IREE}.dev0+${rev}`;
  compiler = relabelWheel(checkout, downloadWheel(checkout, `iree-base-compiler==${IREE}`, 'own/compiler'), version);
});
afterAll(removeCheckouts);

/** `--set` of each. */
const sets = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
/** The one that compiles everything takes minutes, and many where others compile beside it. */
const LIMIT_MS = 18 * 60_000;
const run = (settings: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<PipelineResult> =>
  checkout.run(['run', ...args, ...sets(settings)], { limitMs: LIMIT_MS });
const GIT = (): Record<string, string> => ({ 'sources.iree.git': './own/iree', 'sources.iree.rev': rev });

/** The record of a node's last result. */
const recordOf = (node: string): string =>
  fs.readFileSync(path.join(path.dirname(checkout.resultFiles(node)), 'artifact.json'), 'utf8');
const valueOf = (node: string): unknown => (JSON.parse(recordOf(node)) as { readonly value: unknown }).value;
const resolved = (): ResolveArtifact => valueOf('resolve-versions') as ResolveArtifact;
const setUp = (): JaxArtifact => valueOf('setup-jax') as JaxArtifact;
const treeHash = (): string | undefined => (valueOf('fetch-sources') as SourcesArtifact).ireeSha256;

describe('what does not fit is refused before anything is compiled', () => {
  const fake = (name: string, wheelVersion: string): Promise<string> =>
    writeWheel(checkout.path('own', `${name}-${wheelVersion}`), name, wheelVersion, {});

  async function refused(settings: Readonly<Record<string, string>>): Promise<PipelineResult> {
    const result = await run(settings, 'release', '--only', 'build-native', '--json');
    expect(ranIn(result).filter((node) => node.startsWith('build-native'))).toEqual([]);
    expect(checkout.snapshot()).toEqual(before);
    return result;
  }

  test('a compiler of another release than the sources: 4, both named', async () => {
    const wheel = await fake('iree_base_compiler', '3.11.0');
    const result = await refused({ ...GIT(), 'sources.compiler.path': wheel });
    expect(result.code, result.output).toBe(4);
    expect(result.output).toContain(`IREE's sources are ${IREE}, the compiler is 3.11.0: they must be of one release`);
    expect(result.output).toContain(`or a compiler of ${LINE} (sources.compiler.path)`);
  });

  test('a path that is no checkout, a folder without wheels: 2', async () => {
    fs.mkdirSync(checkout.path('own', 'empty'));
    const tree = await refused({ 'sources.iree.path': './own/empty' });
    expect(tree.code, tree.output).toBe(2);
    expect(tree.output).toContain('is not an IREE source tree: CMakeLists.txt is missing');
    const wheels = await refused({ 'sources.compiler.path': './own/empty' });
    expect(wheels.code, wheels.output).toBe(2);
    expect(wheels.output).toContain('holds no iree_base_compiler-*.whl and no libIREECompiler.so');
  });

  test('a jaxlib outside of the claim: 4, with the claim', async () => {
    const result = await refused({ 'sources.jaxlib.path': await fake('jaxlib', '0.13.0') });
    expect(result.code, result.output).toBe(4);
    expect(result.output).toContain('your jaxlib is 0.13.0, and the wheels claim jaxlib >=0.6.1,<0.13');
  });

  test('a jaxlib between releases without its jax; wheels of another Python: 4', async () => {
    const dev = await fake('jaxlib', '0.12.1.dev1+selfbuilt');
    const alone = await refused({ 'sources.jaxlib.path': dev });
    expect(alone.code, alone.output).toBe(4);
    expect(alone.output).toContain('give the jax of the same checkout');
    const other = path.join(path.dirname(dev), 'jaxlib-0.12.1.dev1+selfbuilt-cp310-cp310-linux_x86_64.whl');
    fs.renameSync(dev, other);
    const python = await refused({
      'sources.jaxlib.path': other,
      'sources.jax.path': await fake('jax', '0.12.1.dev1'),
    });
    expect(python.code, python.output).toBe(4);
    expect(python.output).toContain('your wheels are not for one of the Pythons');
    expect(python.output).toContain('cp310-cp310-linux_x86_64');
  });

  test('a file that is no wheel, and one that was renamed: 6', async () => {
    const broken = checkout.path('own', 'broken', 'jaxlib-0.12.0-py3-none-any.whl');
    fs.mkdirSync(path.dirname(broken));
    fs.writeFileSync(broken, 'half of a wheel');
    const unreadable = await refused({ 'sources.jaxlib.path': broken });
    expect(unreadable.code, unreadable.output).toBe(6);
    expect(unreadable.output).toContain('jaxlib-0.12.0-py3-none-any.whl is not a readable wheel');
    fs.copyFileSync(await fake('jaxlib', '0.11.0'), broken);
    const renamed = await refused({ 'sources.jaxlib.path': broken });
    expect(renamed.code, renamed.output).toBe(6);
    expect(renamed.output).toContain('holds another package than its name says');
  });
});

describe('a wheel of a checkout and a compiler from wheels', () => {
  let wheel: string;

  test('is built of that commit and smoke-tested; the lock stays', async () => {
    const settings = { ...GIT(), 'sources.compiler.path': './own/compiler' };
    const result = await run(settings, 'release', '--variant', VARIANT, '--plain');
    expect(result.code, result.output).toBe(0);
    const [run_] = (valueOf(`smoke-test@${VARIANT}`) as SmokeArtifact).runs;
    expect(run_).toMatchObject({
      compiler: version,
      failed: 0,
      local: { [compiler]: sha256(fs.readFileSync(compiler)) },
    });
    expect(run_?.passed).toBeGreaterThan(20);
    wheel = checkout.path('dist', run_?.wheel ?? '');
    expect(path.basename(wheel)).toMatch(
      new RegExp(`^iree_pjrt_plugin_cpu-[\\d.]+\\.${LINE}\\+tracing\\.head-py3-none-manylinux_2_28_x86_64\\.whl$`),
    );
    expect(checkout.snapshot().lock).toBe(before.lock);
  });

  test('a library of the flavour exports two symbols', () => {
    const report = JSON.parse(checkout.read('dist/report/wheels.json')) as WheelsReport;
    expect(report.wheels.map(({ variant, library }) => [variant, library.exports])).toEqual([
      [VARIANT, ['GetPjrtApi', 'IreePjrtServeCompiler', 'XLA_FFI_GetApi']],
    ]);
  });

  test('requires a compiler of that line, pre-releases too, and is not for publishing', async () => {
    const file = await readWheel(wheel);
    const fields = fieldsOf(textOf(file, `${file.distInfo}/METADATA`));
    expect(fields.get('Requires-Dist')?.find((text) => text.startsWith('iree-base-compiler'))).toMatch(
      new RegExp(`>=${LINE}\\.0\\.dev0`),
    );
    expect(fields.get('Classifier')).toContain('Private :: Do Not Upload');
    const sbom = [...file.members].find(([name]) => name.endsWith('.cdx.json'))?.[1].toString();
    expect(sbom).toContain(`${checkout.path('own/iree')}@${rev}`);
  });

  test('what was used is said, with its hash', () => {
    expect(resolved().compiler).toMatchObject({ version, files: [compiler] });
    expect(resolved().compiler?.sha256).toEqual({ [compiler]: sha256(fs.readFileSync(compiler)) });
    expect(resolved().lock.iree[0]?.compiler.version).toBe(IREE);
  });

  test('the library runs under JAX as `pipeline env` gives it', () => {
    const script = 'import jax; print(jax.jit(lambda x: x * 2 + 1)(jax.numpy.arange(4.)), jax.default_backend())';
    const line = `eval "$(node bin/pipeline.mjs env ${VARIANT})"; JAX_PLATFORMS=iree_cpu python -c '${script}'`;
    const shown = execFileSync('bash', ['-ec', line], { cwd: checkout.root, encoding: 'utf8', env: cleanEnv() });
    expect(shown.trim()).toBe('[1. 3. 5. 7.] iree_cpu');
  });
});

test('an edit in a folder is seen by what is made of it', async () => {
  const settings = { 'sources.iree.path': './own/iree', 'sources.compiler.path': './own/compiler' };
  const fetched = async (): Promise<string> => {
    const result = await run(settings, 'release', '--only', 'fetch-sources', '--plain');
    expect(result.code, result.output).toBe(0);
    return result.output;
  };
  await fetched();
  expect(await fetched()).toContain('Nothing to do');
  const first = treeHash();
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  fs.appendFileSync(checkout.path('own/iree/runtime/src/iree/base/api.h'), '// edited\n');
  expect(await fetched()).toContain('own/iree/runtime/src/iree/base/api.h changed');
  expect(treeHash()).not.toBe(first);
});

test('a compiler from a build folder is of the checkout that it was built from, and linked where it lies', async () => {
  const library = checkout.path('own/build/lib/libIREECompiler.so');
  fs.mkdirSync(path.dirname(library), { recursive: true });
  fs.linkSync(fs.realpathSync(path.join(checkout.resultFiles('setup-jax'), setUp().compilerLibrary)), library);
  checkout.write('own/build/CMakeCache.txt', `CMAKE_HOME_DIRECTORY:INTERNAL=${checkout.path('own/iree')}\n`);
  const result = await run({ 'sources.compiler.path': './own/build' }, 'release', '--only', 'setup-jax', '--plain');
  expect(result.code, result.output).toBe(0);
  const linked = path.join(checkout.resultFiles('setup-jax'), setUp().compilerLibrary);
  expect(fs.realpathSync(linked)).toBe(library);
  expect(resolved().compiler).toMatchObject({ version: `${IREE}.dev0` });
});

test('a jaxlib by path has a cell of its own in the matrix, which runs on that file; nothing is compiled for it', async () => {
  const { jaxlib } = resolved().lock.framework;
  const wheel = downloadWheel(checkout, `jaxlib==${jaxlib}`, 'own/jaxlib');
  makeMatrixSmall(checkout, `==${IREE}`);
  const cell = `matrix-cell[cpu-release-${jaxlib}-local-${pythonOf(checkout)}-${IREE}]`;
  const settings = { 'sources.jaxlib.path': './own/jaxlib' };
  const result = await run(settings, 'matrix', '--only', cell, '--json');
  expect(result.code, result.output).toBe(0);
  expect(ranIn(result).filter((node) => /^(fetch-sources|build-native|pack-wheels)/.test(node))).toEqual([]);
  const node = cell.replace('[', '@').replace(']', '');
  const found = valueOf(node) as MatrixCellArtifact;
  expect(found, JSON.stringify(found)).toMatchObject({ result: 'works', failed: 0, versions: { jaxlib } });
  // Among the files of its key.
  expect(recordOf(node)).toContain(sha256(fs.readFileSync(wheel)));
});
