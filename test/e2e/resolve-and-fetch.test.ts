// SPDX-License-Identifier: Apache-2.0
// setup-tools, resolve-versions and fetch-sources with the real clients and registries.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../engine/api.js';
import { PipelineFailure, type Failure } from '../../engine/failure.js';
import type { Lock, LockedCrate, ResolveArtifact, SourcesArtifact, ToolsArtifact } from '../../stages/artifacts.js';
import { definition as fetchSources } from '../../stages/fetch-sources/index.js';
import { filesBelow, sha256File } from '../../stages/lib/hash.js';
import { SOURCE_PARTS } from '../../stages/lib/source-parts.js';
import { definition as resolveVersions } from '../../stages/resolve-versions/index.js';
import { measureContext, measureRow, type RowKind } from '../../measuring/row.js';
import { parseLock, renderLock, sealLock } from '../../stages/resolve-versions/lock.js';
import { definition as setupTools } from '../../stages/setup-tools/index.js';
import { StageRig, type StageOutcome, type StageRequest } from '../rigs/stage-rig.js';
import { writeWheel } from '../rigs/wheel-server.js';

const ROOT = path.join(import.meta.dirname, '../..');
const CONFIG = parse(fs.readFileSync(path.join(ROOT, 'pipeline.yaml'), 'utf8')) as {
  readonly supports: JsonObject;
  readonly stages: readonly { readonly uses: string; readonly with: JsonObject }[];
};
/** Nothing listens there: whoever connects fails at once. */
const OFFLINE = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
};
const COMMITTED = fs.readFileSync(path.join(ROOT, 'pipeline.lock.yaml'), 'utf8');
const LOCK = await parseLock(COMMITTED);

const rig = new StageRig();
const lockFile = path.join(rig.root, 'pipeline.lock.yaml');
let tools: StageOutcome<ToolsArtifact>;

beforeAll(async () => {
  fs.cpSync(path.join(ROOT, 'compat'), path.join(rig.root, 'compat'), { recursive: true });
  const made = await rig.run(setupTools, { options: CONFIG.stages.find(({ uses }) => uses === 'setup-tools')?.with });
  // As the engine does when a stage is done.
  const dir = path.join(rig.root, 'moved', 'tools');
  fs.mkdirSync(path.dirname(dir));
  fs.renameSync(made.dir, dir);
  tools = { ...made, dir };
});

afterAll(() => {
  rig.remove();
});

beforeEach(() => {
  rig.lines.length = 0;
  rig.warnings.length = 0;
});

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (error instanceof PipelineFailure) return error.failure;
  throw new Error(`no failure: ${error instanceof Error ? (error.stack ?? '') : JSON.stringify(error)}`);
}

describe('setup-tools', () => {
  test.each([
    ['cmake', ['--version'], /cmake version 4/],
    ['ninja', ['--version'], /^1\./],
    ['uv', ['--version'], /^uv /],
    ['auditwheel', ['--version'], /auditwheel/],
    ['twine', ['--version'], /twine version/],
    ['check-wheel-contents', ['--version'], /check-wheel-contents/],
    ['python', ['-m', 'hatchling', 'build', '--help'], /--target/],
    ['python', ['-m', 'pip', '--version'], /^pip /],
  ])('%s %j works after the folder was moved', (program, args, output) => {
    const file = path.join(tools.dir, tools.value.bin, program);
    expect(execFileSync(file, args, { encoding: 'utf8' })).toMatch(output);
  });

  test('zig works, and the versions are recorded', () => {
    expect(execFileSync(path.join(tools.dir, tools.value.zig), ['version'], { encoding: 'utf8' })).toMatch(/^0\./);
    expect(tools.value.versions).toMatchObject({ cmake: expect.stringMatching(/^4/) as string, ziglang: '0.17.0' });
  });

  test('of a Python without pip', async () => {
    const folder = path.join(rig.root, 'without-pip');
    execFileSync('python3', ['-m', 'venv', '--without-pip', folder]);
    const env = { PIPELINE_PYTHON: path.join(folder, 'bin', 'python') };
    const { value } = await withEnv(env, () => rig.run(setupTools, { options: { requirements: ['uv==0.13.8'] } }));
    expect(value.versions).toMatchObject({ uv: '0.13.8', pip: expect.any(String) as string });
  });

  test('no network: says what could not be fetched', async () => {
    const env = { ...OFFLINE, PIP_NO_CACHE_DIR: '1', PIP_RETRIES: '0' };
    const failure = await failureOf(
      withEnv(env, () => rig.run(setupTools, { options: { requirements: ['uv==0.13.8'] } })),
    );
    expect(failure).toMatchObject({ kind: 'network', message: 'could not fetch uv==0.13.8; nothing was changed' });
  });

  test('a requirement that does not exist', async () => {
    const options = { requirements: ['uv==0.13.8', 'ninja==99.0'] };
    expect(await failureOf(rig.run(setupTools, { options }))).toMatchObject({ kind: 'command' });
  });
});

function resolve(
  more: StageRequest & { readonly ranges?: typeof NARROW; readonly pythons?: readonly string[] } = {},
): Promise<StageOutcome<ResolveArtifact>> {
  const { ranges, pythons = LOCK.from.pythons, sections = {}, ...request } = more;
  const { iree, ...supports } = ranges ?? { ...CONFIG.supports };
  return rig.run(resolveVersions, {
    options: { pythons },
    ...request,
    sections: { ...sections, supports: { ...supports, iree } },
    axes: { iree: LOCK.from.ireeLines },
    upstream: [tools],
  });
}

const NARROW = { jaxlib: '==0.10.2', iree: '==3.11.0', python: '>=3.11' };

describe('resolve-versions', () => {
  test('a lock that fits is used without any network', async () => {
    fs.writeFileSync(lockFile, COMMITTED);
    const { value } = await withEnv(OFFLINE, () => resolve());
    expect(value.lock).toEqual(LOCK);
    expect(fs.readFileSync(lockFile, 'utf8')).toBe(COMMITTED);
  });

  test('other constraints: resolved anew, and said what changed', async () => {
    fs.writeFileSync(lockFile, COMMITTED);
    const { value, lines } = await resolve({ ranges: NARROW, pythons: ['3.11', '3.13'] });
    expect(value.lock.frameworks.map(({ jaxlib }) => jaxlib)).toEqual(['0.10.2', '0.10.2']);
    expect(value.lock.iree).toEqual(LOCK.iree.filter(({ line }) => line === '3.11'));
    expect(value.lock.pjrtHeaders).toEqual(LOCK.pjrtHeaders);
    expect(value.lock.cudaHeaders).toEqual(LOCK.cudaHeaders);
    expect(value.lock.tracy).toEqual(LOCK.tracy);
    expect(lines).toContain(`~ from.jaxlib: ${LOCK.from.jaxlib} -> ==0.10.2`);
    expect(await parseLock(fs.readFileSync(lockFile, 'utf8'))).toEqual(value.lock);
  });

  test('--locked refuses other constraints and shows the difference, with and without a network', async () => {
    fs.writeFileSync(lockFile, COMMITTED);
    const options = { ranges: NARROW, pythons: ['3.11'], locked: true };
    const failure = await failureOf(resolve(options));
    expect(failure).toMatchObject({ kind: 'lock', detail: expect.stringContaining('- frameworks.[3.12]') as string });
    const env = { ...OFFLINE, PIP_RETRIES: '0' };
    expect(await failureOf(withEnv(env, () => resolve(options)))).toMatchObject({
      kind: 'lock',
      detail: expect.stringContaining('(what it would resolve to is not known') as string,
    });
    expect(fs.readFileSync(lockFile, 'utf8')).toBe(COMMITTED);
  });

  test('a lock of another version of the pipeline is renewed, and the difference said; under --locked it is refused', async () => {
    const rest = Object.fromEntries(Object.entries(LOCK).filter(([key]) => key !== 'tracy'));
    const without = renderLock(sealLock(rest as unknown as Lock));
    fs.writeFileSync(lockFile, without);
    const refused = await failureOf(resolve({ locked: true }));
    expect(refused).toMatchObject({ kind: 'lock', detail: "the file must have required property 'tracy'" });
    expect(fs.readFileSync(lockFile, 'utf8')).toBe(without);
    const { value, lines } = await resolve();
    expect(lines).toContain(`+ tracy.crate: ${LOCK.tracy.crate}`);
    expect(await parseLock(fs.readFileSync(lockFile, 'utf8'))).toEqual(value.lock);
    expect(value.lock.tracy).toEqual(LOCK.tracy);
  });

  test('--locked without a lock', async () => {
    fs.rmSync(lockFile, { force: true });
    expect(await failureOf(resolve({ locked: true }))).toMatchObject({ kind: 'lock' });
    expect(fs.existsSync(lockFile)).toBe(false);
  });

  test('an impossible set: a table, no lock', async () => {
    fs.rmSync(lockFile, { force: true });
    const failure = await failureOf(resolve({ ranges: { ...NARROW, iree: '>=99' }, pythons: ['3.11'] }));
    expect(failure).toMatchObject({
      kind: 'resolution',
      detail: expect.stringContaining('range of IREE') as string,
    });
    expect(await failureOf(resolve({ ranges: { ...NARROW, jaxlib: '>=99' }, pythons: ['3.11'] }))).toMatchObject({
      kind: 'resolution',
      message: 'no jaxlib fits all constraints',
    });
    expect(fs.existsSync(lockFile)).toBe(false);
  });

  test('an update of a lock that is up to date changes nothing', async () => {
    const held = await resolve({ ranges: NARROW, pythons: ['3.11'] });
    const before = fs.statSync(lockFile).mtimeMs;
    const again = await resolve({ ranges: NARROW, pythons: ['3.11'], settings: { update: '1' } });
    expect(again.value.lock).toEqual(held.value.lock);
    expect(fs.statSync(lockFile).mtimeMs).toBe(before);
  });

  test('a channel’s folder of wheels is looked into: its unknown release is named, not taken', async () => {
    await writeWheel(rig.folder('wheels'), 'jaxlib', '0.10.3.dev1', { 'jaxlib/__init__.py': '' });
    const { value } = await resolve({
      ranges: { ...NARROW, jaxlib: '>=0.10.2,<0.11' },
      pythons: ['3.11'],
      sections: { channels: { nightly: [{ 'find-links': './wheels' }] } },
      settings: { channel: 'nightly' },
    });
    expect(value.lock.framework.jaxlib).toBe('0.10.2');
    expect(value.lock.from).toMatchObject({ channel: 'nightly', links: ['./wheels'] });
    expect(rig.warnings.join('\n')).toContain('jaxlib 0.10.3.dev1 is on the registry, not in compat/jaxlib.yaml');
  });
});

describe('compat/', () => {
  test.each<[RowKind, string]>([
    ['jaxlib', '0.10.2'],
    ['pjrt-headers', '2.21.0'],
  ])('%s %s, measured for real, is what the file says', async (kind, version) => {
    const context = measureContext(rig.context(resolveVersions), tools);
    expect((await measureRow(kind, version, context)).diff).toEqual([]);
  });
});

/** The environment of this process for a while: our own connections and children see it. */
async function withEnv<T>(env: Readonly<Record<string, string>>, action: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    return await action();
  } finally {
    process.env = before;
  }
}

function fetchFor(
  lock: Lock,
  more: StageRequest = {},
  compiler?: ResolveArtifact['compiler'],
): Promise<StageOutcome<SourcesArtifact>> {
  const locked = {
    stage: 'resolve-versions',
    variant: { id: '', axes: {} },
    value: { lock, ...(compiler ? { compiler } : {}) },
    dir: rig.root,
    digest: '',
  };
  return rig.run(fetchSources, { ...more, upstream: [tools, locked] });
}

describe('fetch-sources', () => {
  test('the locked tree, headers and licences', async () => {
    const { value, dir } = await fetchFor(LOCK);
    const header = LOCK.pjrtHeaders.files.find(({ path: file }) => file.endsWith('/pjrt_c_api.h'));
    expect(await sha256File(path.join(dir, value.pjrtHeaders, 'xla/pjrt/c/pjrt_c_api.h'))).toBe(header?.sha256);
    const [cuda] = LOCK.cudaHeaders.files;
    expect(await sha256File(path.join(dir, value.cudaHeaders, 'cuda.h'))).toBe(cuda?.sha256);
    expect(fs.existsSync(path.join(dir, value.tracy, 'TracyClient.cpp'))).toBe(true);
    expect(await filesBelow(path.join(dir, value.ducc))).toEqual(SOURCE_PARTS.ducc.files);
    for (const file of ['runtime/src/iree/base/api.h', 'compiler/bindings/c/iree/compiler/embedding_api.h']) {
      expect(fs.existsSync(path.join(dir, value.iree, file))).toBe(true);
    }
    expect(value.components.map(({ name }) => name)).toEqual(['iree', 'flatcc', 'dlmalloc', 'pjrt-c-api', 'ducc']);
    for (const { name } of value.components) {
      expect(fs.readFileSync(path.join(dir, value.licenses, `${name}.txt`), 'utf8')).toMatch(
        /License|Permission|Redistribution/,
      );
    }
  });

  const wrong = 'e'.repeat(64);
  const withRuntime = ({ iree }: Lock, runtime: Partial<LockedCrate>): Lock['iree'] =>
    iree.map((entry) => ({ ...entry, runtime: { ...entry.runtime, ...runtime } }));
  test.each<[string, (lock: Lock) => Partial<Lock>, string]>([
    ['crate', (lock) => ({ iree: withRuntime(lock, { sha256: wrong }) }), '.crate'],
    ['tree', (lock) => ({ iree: withRuntime(lock, { treeSha256: wrong }) }), 'eerie-sys'],
    ['source distribution', ({ ducc }) => ({ ducc: { ...ducc, sha256: wrong } }), 'ducc0-'],
    ['wheel', ({ pjrtHeaders }) => ({ pjrtHeaders: { ...pjrtHeaders, wheelSha256: wrong } }), '.whl'],
    [
      'header',
      ({ pjrtHeaders }) => ({
        pjrtHeaders: { ...pjrtHeaders, files: pjrtHeaders.files.map((file) => ({ ...file, sha256: wrong })) },
      }),
      'tensorflow/include/LICENSE',
    ],
  ])('another %s than was locked: file, wanted, found', async (_, edit, file) => {
    const lock = sealLock({ ...LOCK, ...edit(LOCK) });
    expect(renderLock(lock)).toContain(wrong);
    expect(await failureOf(fetchFor(lock))).toMatchObject({
      kind: 'integrity',
      file: expect.stringContaining(file) as string,
      wanted: wrong,
      found: expect.stringMatching(/[0-9a-f]{64}/) as string,
    });
  });

  test('a source distribution that the registry does not have: what it has', async () => {
    const ducc = { ...LOCK.ducc, version: '0.41.99' };
    expect(await failureOf(fetchFor(sealLock({ ...LOCK, ducc })))).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('ducc0==0.41.99') as string,
      detail: expect.stringContaining(LOCK.ducc.version) as string,
    });
  });

  test('no network', async () => {
    const env = { ...OFFLINE, PIP_RETRIES: '0', CARGO_HOME: rig.folder('cargo'), CARGO_NET_RETRY: '0' };
    expect(await failureOf(withEnv(env, () => fetchFor(LOCK)))).toMatchObject({ kind: 'network' });
  });

  describe('overrides', () => {
    const VERSION = LOCK.iree[0]?.compiler.version ?? '';

    function tree(name: string, version: string): string {
      const folder = rig.folder(name);
      const files = {
        'CMakeLists.txt': '',
        LICENSE: 'License',
        'runtime/version.json': `{"package-version": "${version}.dev"}`,
        'runtime/src/iree/base/api.h': '// api',
        'compiler/bindings/c/iree/compiler/embedding_api.h': '// embedding',
      };
      for (const [file, text] of Object.entries(files)) {
        fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        fs.writeFileSync(path.join(folder, file), text);
      }
      return folder;
    }

    function git(folder: string, ...args: string[]): string {
      const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'protocol.file.allow=always'];
      return execFileSync('git', ['-C', folder, ...identity, ...args], { encoding: 'utf8' }).trim();
    }

    test('a folder is used where it lies, and each of its files is an input', async () => {
      const folder = tree('iree-path', VERSION);
      const sections = { sources: { iree: { path: './iree-path' } } };
      const { value } = await fetchFor(LOCK, { sections });
      expect(value.iree).toBe(folder);
      expect(value.components[0]).toMatchObject({ name: 'iree', override: folder });
      expect(rig.warnings).toEqual([]);
      const inputs = await fetchSources.inputs(rig.context(fetchSources, { sections }));
      expect(inputs.files).toContain(path.join(folder, 'runtime/src/iree/base/api.h'));
    });

    test('one commit of a repository, with the submodules that a runtime needs', async () => {
      const printf = rig.folder('printf');
      fs.writeFileSync(path.join(printf, 'LICENSE'), 'License of printf');
      git(printf, 'init', '--quiet');
      git(printf, 'add', '.');
      git(printf, 'commit', '--quiet', '-m', 'printf');
      const folder = tree('iree-git', VERSION);
      git(folder, 'init', '--quiet');
      git(folder, 'submodule', '--quiet', 'add', printf, 'third_party/printf');
      git(folder, 'submodule', '--quiet', 'add', printf, 'third_party/llvm-project');
      git(folder, 'add', '.');
      git(folder, 'commit', '--quiet', '-m', 'first');
      const rev = git(folder, 'rev-parse', 'HEAD');
      fs.writeFileSync(path.join(folder, 'runtime/src/iree/base/api.h'), '// later');
      git(folder, 'commit', '--quiet', '-a', '-m', 'second');

      const settings = { 'sources.iree.git': './iree-git', 'sources.iree.rev': rev };
      const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'protocol.file.allow', GIT_CONFIG_VALUE_0: 'always' };
      const { value, dir } = await fetchFor(LOCK, { settings, env });
      const read = (file: string): string => fs.readFileSync(path.join(dir, value.iree, file), 'utf8');
      expect(read('runtime/src/iree/base/api.h')).toBe('// api');
      expect(read('third_party/printf/LICENSE')).toBe('License of printf');
      expect(fs.existsSync(path.join(dir, value.iree, 'third_party/llvm-project'))).toBe(false);
      expect(value.components[0]?.override).toBe(`${folder}@${rev}`);
      expect(value.ireeVersion).toBe(VERSION);
    });

    test('a clone without its submodules: what to type', async () => {
      const folder = tree('iree-bare', VERSION);
      fs.writeFileSync(path.join(folder, '.gitmodules'), '[submodule "f"]\n  path = third_party/flatcc\n  url = x\n');
      fs.mkdirSync(path.join(folder, 'third_party/flatcc'), { recursive: true });
      expect(await failureOf(fetchFor(LOCK, { settings: { 'sources.iree.path': folder } }))).toMatchObject({
        kind: 'usage',
        message: expect.stringContaining('without its submodules: third_party/flatcc is empty') as string,
        help: `git -C ${folder} submodule update --init`,
      });
    });

    test('a compiler that was built from another commit: a warning names both', async () => {
      const folder = tree('iree-commit', VERSION);
      git(folder, 'init', '--quiet');
      git(folder, 'add', '.');
      git(folder, 'commit', '--quiet', '-m', 'first');
      const rev = git(folder, 'rev-parse', 'HEAD');
      const compilerOf = (commit: string) => ({
        ...{ package: 'iree-base-compiler', version: `${VERSION}.dev0`, stablehlo: '1.17.0', files: [], sha256: {} },
        commit,
      });
      const settings = { 'sources.iree.path': folder };
      await fetchFor(LOCK, { settings }, compilerOf(rev.slice(0, 10)));
      expect(rig.warnings).toEqual([]);
      await fetchFor(LOCK, { settings }, compilerOf('e'.repeat(40)));
      expect(rig.warnings.join()).toContain(`built from commit ${'e'.repeat(40)}, the sources are at ${rev}`);
    });

    test('of another release than the compiler: both are named, and what to do', async () => {
      const folder = tree('iree-other', '9.9.9');
      expect(await failureOf(fetchFor(LOCK, { settings: { 'sources.iree.path': folder } }))).toMatchObject({
        kind: 'resolution',
        message: `IREE's sources are 9.9.9, the compiler is ${VERSION}: they must be of one release`,
        help: 'give a compiler of 9.9 too: --set sources.compiler.path=… (docs/at-head.md)',
      });
    });

    test('a commit that is not there', async () => {
      tree('iree-git', VERSION);
      const settings = { 'sources.iree.git': './iree-git', 'sources.iree.rev': 'd'.repeat(40) };
      expect(await failureOf(fetchFor(LOCK, { settings }))).toMatchObject({ kind: 'command' });
    });

    test('a folder that is no IREE tree', async () => {
      rig.folder('empty');
      expect(await failureOf(fetchFor(LOCK, { settings: { 'sources.iree.path': './empty' } }))).toMatchObject({
        kind: 'usage',
        message: expect.stringContaining('is not an IREE source tree: CMakeLists.txt is missing') as string,
      });
    });
  });
});
