// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { main } from '../../cli.js';
import { COMMANDS } from '../../commands/declarations.js';
import { envOf } from '../../commands/env.js';
import { describe as describePlugin, describePasses } from '../../commands/plugin-info.js';

const DEMO = `version: 1
project: { name: demo, version: "1.0" }
stages:
  - { name: first, uses: _null }
  - { name: second, uses: _null, needs: [first], with: { greeting: hi } }
pipelines:
  all: { title: Everything, stages: [second] }
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-'));
  await writeFile(join(folder, 'pipeline.yaml'), DEMO);
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function cli(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await main(argv, {
    cwd: folder,
    env: { NO_COLOR: '1' },
    stdout: { write: (text) => (out += text), columns: 120 },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

describe('help', () => {
  test.each(['', ...COMMANDS.map((command) => command.name)])('pipeline %s --help fits 80 columns', async (name) => {
    const { code, out } = await cli(...(name === '' ? [] : [name]), '--help');
    expect(code).toBe(0);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    if (name !== '') expect(out).toContain('Examples:\n  ');
  });
});

describe('what cannot be understood', () => {
  test.each([
    [['rnu'], "unknown command 'rnu'", 'Did you mean run?'],
    [['run', '--jbos', '2'], "unknown option '--jbos'", 'Did you mean --jobs?'],
    [['run', '--jobs', 'many'], "'many' is invalid", 'whole number'],
    [['run', 'al'], "there is no pipeline 'al'", "did you mean 'all'? pipelines: all"],
    [['run', 'all', 'extra'], 'too many arguments', ''],
    [['run', '--only', 'secnd'], "there is no stage 'secnd'", "did you mean 'second'?"],
    [['run', '--set', 'x'], '--set x lacks a value', '--set KEY=VALUE'],
    [['run', '--set', 'x=1'], 'no stage of this run reads --set x', 'its stages read no settings'],
    [['plan', '--set', 'x=1'], 'no stage of this run reads --set x', 'its stages read no settings'],
    [['plan', '--variant', 'cpu'], "there is no variant 'cpu'", ''],
    [['env'], "missing required argument 'variant'", ''],
    [['resolve', '--update', '--locked'], 'exclude each other', ''],
    [['explain', 'frist'], "there is no stage 'frist'", "did you mean 'first'?"],
    [['docs', 'varients'], "there is no key 'varients'", "did you mean 'variants'?"],
    [['-C', 'nowhere', 'plan'], 'there is no folder', '-C'],
  ])('%j ends with 2', async (argv, message, help) => {
    const { code, out, err } = await cli(...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).toContain(help);
    expect(err).not.toMatch(/\n\s+at /);
  });

  test('a mistake in the file ends with 3 and shows the place', async () => {
    await writeFile(join(folder, 'pipeline.yaml'), DEMO.replace('needs', 'neds'));
    const { code, err } = await cli('plan');
    expect(code).toBe(3);
    expect(err).toContain("pipeline.yaml:5:34: error: unknown key 'neds'");
    expect(err).toContain("help: did you mean 'needs'?");
  });

  test('no pipeline.yaml', async () => {
    await rm(join(folder, 'pipeline.yaml'));
    const { code, err } = await cli('run');
    expect(code).toBe(2);
    expect(err).toContain('there is no pipeline.yaml');
  });
});

describe("a pipeline's name where a command stands", () => {
  test('runs it, with the options of run, also in another folder', async () => {
    const { code, out } = await cli('all', '--only', 'first', '--dry-run');
    expect(code).toBe(0);
    expect(out).toContain('would run   first');
    expect(out).not.toContain('second');
    expect((await cli('-C', '.', 'all', '--dry-run')).out).toContain('would run   second');
    expect((await cli('--help')).out).toContain("A pipeline's name is short for `run NAME`");
  });

  test('a command of that name comes first', async () => {
    await writeFile(join(folder, 'pipeline.yaml'), DEMO.replace('all:', 'list:'));
    expect((await cli('list')).out).toContain('list  Everything');
  });

  test('what is neither is an unknown command, also without a pipeline.yaml', async () => {
    expect((await cli('al')).err).toContain("unknown command 'al'");
    await rm(join(folder, 'pipeline.yaml'));
    expect(await cli('all')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('unknown command') as string,
    });
  });

  test('a mistake in the file, which says what pipelines there are, is shown', async () => {
    await writeFile(join(folder, 'pipeline.yaml'), DEMO.replace('needs', 'neds'));
    expect((await cli('all')).code).toBe(3);
  });
});

describe('commands that only look', () => {
  test('plan --json', async () => {
    const { out } = await cli('plan', '--only', 'second', '--json');
    const plan = JSON.parse(out) as { nodes: { id: string; needs: string[]; selected: boolean }[] };
    expect(plan.nodes.map(({ id, needs, selected }) => ({ id, needs, selected }))).toEqual([
      { id: 'first', needs: [], selected: false },
      { id: 'second', needs: ['first'], selected: true },
    ]);
  });

  test('--version', async () => {
    expect((await cli('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('list', async () => {
    expect((await cli('list')).out).toContain('all  Everything');
  });

  test('run --dry-run, run, and again', async () => {
    const { out } = await cli('run', '--dry-run');
    expect(out).toContain('would run   first   Write a greeting\n            there is no earlier result');
    expect((await cli('run', '--plain')).code).toBe(0);
    expect((await cli('run', '--plain')).out).toContain('Nothing to do: 2 stages unchanged');
    await writeFile(join(folder, 'pipeline.yaml'), DEMO.replace('greeting: hi', 'greeting: ho'));
    const dry = JSON.parse((await cli('run', '--dry-run', '--json')).out) as { nodes: { state: string }[] };
    expect(dry.nodes.map((node) => node.state)).toEqual(['unchanged', 'runs']);
    expect((await cli('explain', 'second')).out).toContain('because: option greeting changed from "hi" to "ho"');
    const forced = JSON.parse((await cli('run', '--from', 'first', '--dry-run', '--json')).out) as typeof dry;
    expect(forced.nodes.map((node) => node.state)).toEqual(['runs', 'runs']);
  });

  test('clean says what it frees, and with --dry-run only that', async () => {
    await cli('run', '--plain');
    expect((await cli('clean', '--dry-run')).out).toContain('would free');
    expect((await cli('clean')).out).toContain('freed');
    expect((await cli('clean')).out).toContain('nothing to remove');
  });

  test('docs prints one section', async () => {
    const { out } = await cli('docs', 'variants');
    expect(out).toMatch(/^## `variants`/);
    expect(out).not.toContain('## `stages`');
    expect((await cli('docs', 'exclude')).out).toContain('## `variants`');
  });
});

test('settings may hold commas, lists of stages may be given at once', async () => {
  const { out } = await cli('plan', '--only', 'first,second', '--json');
  expect((JSON.parse(out) as { nodes: { selected: boolean }[] }).nodes.every((node) => node.selected)).toBe(true);
});

describe('env', () => {
  const made = (dir: string, value: unknown) => ({
    dir,
    value: value as never,
    variant: { id: 'cpu-release-iree3.11', axes: { device: 'cpu', flavour: 'release', iree: '3.11' } },
  });
  const sources = {
    device: 'cpu',
    native: made('/native', { library: 'lib.so' }),
    packages: made('/packages', { packages: [{ platform: 'iree_cpu', folder: 'a' }] }),
    tools: made('/tools', { bin: 'bin', zig: 'zig' }),
    jax: made('/jax', { python: 'bin/python', compilerLibrary: 'lib/c.so' }),
    sources: made('/sources', {
      iree: 'iree',
      ireeVersion: '3.11.0',
      pjrtHeaders: 'include',
      cudaHeaders: 'cuda',
      tracy: 'tracy',
      googletest: 'gtest',
      ducc: 'ducc',
    }),
    resolved: made('/lock', {
      lock: {
        iree: [
          { line: '3.13', runtime: { version: '3.13.0' }, compiler: { stablehlo: '1.22.0' } },
          { line: '3.11', runtime: { version: '3.11.0' }, compiler: { stablehlo: '1.13.0' } },
        ],
      },
    }),
  };
  const expected = {
    PJRT_NAMES_AND_LIBRARY_PATHS: 'iree_cpu:/native/lib.so',
    IREE_PJRT_COMPILER_LIB_PATH: '/jax/lib/c.so',
    PYTHONPATH: '/packages/a/src',
    IREE_PJRT_IREE_SOURCE_DIR: '/sources/iree',
    IREE_PJRT_HEADERS_DIR: '/sources/include',
    IREE_PJRT_CUDA_HEADERS_DIR: '/sources/cuda',
    IREE_PJRT_TRACY_DIR: '/sources/tracy',
    IREE_PJRT_GOOGLETEST_DIR: '/sources/gtest',
    IREE_PJRT_DUCC_DIR: '/sources/ducc',
    IREE_PJRT_IREE_VERSION: '3.11.0',
    IREE_PJRT_STABLEHLO_VERSION: '1.13.0',
    IREE_PJRT_ZIG: '/tools/zig',
    PATH: '/jax/bin:/tools/bin:/usr/bin',
  };

  test('puts the Python with JAX first, and a second time changes nothing', () => {
    expect(envOf(sources, { PATH: '/usr/bin' })).toEqual(expected);
    expect(envOf(sources, expected)).toEqual(expected);
  });

  test('a Python environment that the developer has entered stays in force', () => {
    const { PATH } = envOf(sources, { PATH: '/venv/bin:/usr/bin', VIRTUAL_ENV: '/venv' });
    expect(PATH).toBe('/venv/bin:/usr/bin:/jax/bin:/tools/bin');
  });

  test('without results of other stages, the library is all there is', () => {
    const { device, native } = sources;
    const none = { packages: undefined, tools: undefined, jax: undefined, sources: undefined, resolved: undefined };
    expect(envOf({ device, native, ...none }, { PATH: '/usr/bin' })).toEqual({
      PJRT_NAMES_AND_LIBRARY_PATHS: 'iree_cpu:/native/lib.so',
      PATH: '/usr/bin',
    });
  });
});

test('pipeline.yaml names the schema for editors', async () => {
  const text = await readFile(join(import.meta.dirname, '../../pipeline.yaml'), 'utf8');
  expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./schemas/pipeline.schema.json');
});

describe('plugin-info', () => {
  const FACTS = {
    library_size: 3,
    pjrt_api: '0.90',
    extensions: ['layouts'],
    attributes: { version: [1, 2] },
    passes: null,
  };

  test('says what is not implemented, and why', () => {
    const unimplemented = [{ function: 'Error_Destroy', reason: 'nothing ever fails' }];
    const lines = describePlugin({ file: 'plugin.so', ...FACTS, unimplemented });
    expect(lines.join('\n')).toMatch(
      /version: +1\.2\n +unimplemented: +1 functions\n +PJRT_Error_Destroy: nothing ever/,
    );
  });

  test('does not take silence for a complete plugin', () => {
    const lines = describePlugin({ file: 'plugin.so', ...FACTS, unimplemented: null });
    expect(lines.at(-1)).toMatch(/unimplemented: +the plugin does not say/);
  });

  test('shows passes in their order, by phase', () => {
    const passes = [
      { phase: 'stablehlo', name: 'WidenSums', why: 'sums are rounded' },
      { phase: 'flow', name: 'KeepSharedResults', why: 'results are written into', releases: 'from 3.13' },
      { phase: 'flow', name: 'Turn', why: 'it begins wrong', releases: '', targets: 'GPUs' },
      { phase: 'flow', name: 'Bind', why: 'it is slow', releases: 'until 3.11', targets: 'CPUs' },
    ];
    expect(describePasses({ file: 'plugin.so', ...FACTS, unimplemented: null, passes })).toEqual([
      'plugin.so',
      '  stablehlo',
      '    WidenSums',
      '        sums are rounded',
      '  flow',
      '    KeepSharedResults (from 3.13 of IREE)',
      '        results are written into',
      '    Turn (for GPUs)',
      '        it begins wrong',
      '    Bind (until 3.11 of IREE, for CPUs)',
      '        it is slow',
    ]);
    expect(describePasses({ file: 'plugin.so', ...FACTS, unimplemented: null })).toContain('  the plugin does not say');
  });

  test('without a file, takes the wheels in dist/, or says what makes one', async () => {
    const without = await cli('plugin-info', '--passes');
    expect(without.code).toBe(2);
    expect(without.err).toContain('there is no wheel in');
    expect(without.err).toContain('npx pipeline run release');
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, 'dist', 'p-1-py3-none-any.whl'), '');
    // The setup of unit tests makes Python throw: that it is asked shows that the wheel was found.
    expect((await cli('plugin-info', '--passes')).err).not.toContain('there is no wheel in');
  });
});
