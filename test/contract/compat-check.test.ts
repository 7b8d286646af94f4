// SPDX-License-Identifier: Apache-2.0
/** `npx pipeline compat check` in real virtual environments, with packages that are nothing but their metadata. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';
import type { PipelineResult } from '../rigs/pipeline-run.js';
import { writeWheel } from '../rigs/wheel-server.js';

let checkout: Checkout;
/** `major.minor` of the Python here. */
let minor: string;
beforeAll(async () => {
  checkout = await makeCheckout({ seed: 'none' });
  const ask = 'import sys; print("%d.%d" % sys.version_info[:2])';
  minor = execFileSync('python3', ['-c', ask], { encoding: 'utf8' }).trim();
  checkout.replace('compat/matrix.yaml', text('rows'), rowsFor());
});
afterAll(removeCheckouts);

/** The line or the block of a key at the top of compat/matrix.yaml. */
function text(key: string): string {
  return new RegExp(`^${key}:[^]*?(?=^\\w|$(?![^]))`, 'm').exec(checkout.read('compat/matrix.yaml'))?.[0] ?? '';
}

function rowsFor(): string {
  expect(text('plugin')).toBe('plugin: 0.1.0\n');
  const row = (jaxlib: string): string =>
    `  - { device: cpu, runtime: 3.11.0, compiler: 3.11.0, jaxlib: ${jaxlib}, jax: ${jaxlib}, pythons: ['${minor}'], result: works }\n`;
  return `rows:\n${row('0.9.2')}${row('0.10.2')}`;
}

class Venv {
  readonly folder: string;
  readonly python: string;

  constructor(name: string) {
    this.folder = checkout.path('venvs', name);
    this.python = path.join(this.folder, 'bin', 'python');
    execFileSync('python3', ['-m', 'venv', '--without-pip', this.folder]);
  }

  get packages(): string {
    return path.join(this.folder, 'lib', `python${minor}`, 'site-packages');
  }

  async install(name: string, version: string, members: Readonly<Record<string, string>> = {}): Promise<void> {
    const wheel = await writeWheel(checkout.path('wheels'), name, version, members);
    execFileSync('python3', ['-m', 'zipfile', '-e', wheel, this.packages]);
  }

  async versions(jaxlib: string, compiler = '3.11.0'): Promise<this> {
    await this.install('jax', jaxlib);
    await this.install('jaxlib', jaxlib);
    await this.install('iree_base_compiler', compiler);
    return this;
  }

  /** A wheel that has of a plugin only its metadata and its own facts. */
  async plugin(device: string, version: string, measured = '()'): Promise<this> {
    const info = [
      `DEVICE: Final = "${device}"`,
      `FLAVOUR: Final = "${version.split('+')[1] ?? 'release'}"`,
      'IREE_RUNTIME: Final = "3.11.0"',
      'SUPPORTED_JAXLIB: Final = ">=0.6.1,<0.13"',
      'SUPPORTED_IREE_COMPILER: Final = ">=3.11.0,<3.12"',
      `MEASURED: Final = ${measured}`,
    ];
    await this.install(`iree_pjrt_plugin_${device}`, version, {
      [`jax_plugins/iree_${device}/_build_info.py`]: info.join('\n'),
      [`iree_pjrt_plugin_${device}-${version}.dist-info/entry_points.txt`]: `[jax_plugins]\niree_${device} = jax_plugins.iree_${device}\n`,
    });
    return this;
  }

  /** The environment as a shell has it where this virtual environment is active. */
  check(...args: readonly string[]): Promise<PipelineResult> {
    return checkout.run(['compat', 'check', ...args], { env: { VIRTUAL_ENV: this.folder } });
  }
}

interface Answer {
  readonly verdict: string;
  readonly plugins: readonly {
    readonly name: string;
    readonly version?: string;
    readonly verdict: string;
    readonly reasons: readonly string[];
    readonly nearest?: { readonly jaxlib: string };
    readonly command?: string;
  }[];
}

const answerOf = (result: PipelineResult): Answer => JSON.parse(result.stdout) as Answer;

const PINNED = '"jax==0.10.2" "jaxlib==0.10.2" "iree-base-compiler==3.11.0"';

test('nothing is installed: says so, and what to type', async () => {
  const venv = new Venv('empty');
  const result = await venv.check();
  expect(result.code, result.output).toBe(4);
  expect(result.stdout).toContain('none of our plugins is installed: iree-pjrt-plugin-cpu, iree-pjrt-plugin-cuda');
  // There is no pip in it.
  expect(result.stdout).toContain(`uv pip install --python ${venv.python} iree-pjrt-plugin-cpu ${PINNED}\n`);
});

test('a set that was run works', async () => {
  const venv = await (await new Venv('good').plugin('cpu', '0.1.0')).versions('0.10.2');
  const result = await venv.check();
  expect(result.code, result.output).toBe(0);
  expect(result.stdout).toMatch(/^iree-pjrt-plugin-cpu 0\.1\.0 \(IREE 3\.11\.0\): works$/m);
  expect(result.stdout).not.toContain('pip install');
  const named = await checkout.run(['compat', 'check', '--python', venv.python, '--json']);
  expect(named.code, named.output).toBe(0);
  expect(answerOf(named)).toMatchObject({ verdict: 'works', plugins: [{ version: '0.1.0', verdict: 'works' }] });
});

test('a jaxlib out of the range is known not to work; one that was not run is unknown', async () => {
  const old = await (await new Venv('old').plugin('cpu', '0.1.0')).versions('0.5.3');
  const refused = await old.check('--json');
  expect(refused.code, refused.output).toBe(4);
  expect(answerOf(refused).plugins[0]?.command).toMatch(/"jaxlib==0\.9\.2" "iree-base-compiler==3\.11\.0"$/);
  const between = await (await new Venv('between').plugin('cpu', '0.1.0')).versions('0.10.1');
  const unknown = await between.check();
  expect(unknown.code, unknown.output).toBe(14);
  expect(unknown.stdout).toContain(': unknown\n');
  expect(unknown.stdout).toContain(
    `the nearest set that works:\n    uv pip install --python ${between.python} ${PINNED}\n`,
  );
});

test('a wheel of one release line of IREE among several is judged by the rows of the project', async () => {
  const venv = await (await new Venv('line').plugin('cpu', '0.1.0.3.11')).versions('0.10.2');
  const result = await venv.check('--json');
  expect(result.code, result.output).toBe(0);
  expect(answerOf(result).plugins[0]).toMatchObject({ version: '0.1.0.3.11', verdict: 'works' });
});

test('flavours are judged by the same rows', async () => {
  const venv = await (await new Venv('asan').plugin('cpu', '0.1.0+asan')).versions('0.10.2');
  const result = await venv.check('--json');
  expect(result.code, result.output).toBe(0);
  expect(answerOf(result).plugins[0]).toMatchObject({ version: '0.1.0+asan', flavour: 'asan', verdict: 'works' });
});

test('of two plugins each is judged; the worse one decides', async () => {
  const venv = await (await new Venv('both').plugin('cpu', '0.1.0')).versions('0.10.2');
  await venv.plugin('cuda', '0.1.0+tracing');
  const result = await venv.check('--json');
  expect(result.code, result.output).toBe(14);
  expect(answerOf(result)).toMatchObject({
    verdict: 'unknown',
    plugins: [
      { name: 'iree-pjrt-plugin-cpu', verdict: 'works' },
      { name: 'iree-pjrt-plugin-cuda', verdict: 'unknown' },
    ],
  });
});

test('a plugin of another version is judged by the rows in its own wheel', async () => {
  const rows = `(("0.8.3", "0.8.3", "3.11.0", ("${minor}",), "works"),)`;
  const venv = await (await new Venv('other').plugin('cpu', '0.0.9', rows)).versions('0.8.3');
  expect((await venv.check()).code).toBe(0);
  // What this checkout knows of 0.1.0 does not count for another version.
  const newer = await (await new Venv('other-newer').plugin('cpu', '0.0.9', rows)).versions('0.10.2');
  const result = await newer.check('--json');
  expect(result.code, result.output).toBe(14);
  expect(answerOf(result).plugins[0]?.nearest?.jaxlib).toBe('0.8.3');
});

describe('a broken environment', () => {
  test('metadata that is gone, a version that is none, files that are gone', async () => {
    const venv = await (await new Venv('broken').plugin('cpu', '0.1.0')).versions('0.10.2');
    const info = (name: string): string => path.join(venv.packages, `${name}.dist-info`);
    fs.rmSync(path.join(info('jaxlib-0.10.2'), 'METADATA'));
    fs.writeFileSync(path.join(info('jax-0.10.2'), 'METADATA'), 'Name: jax\nVersion: many\n');
    const result = await venv.check();
    expect(result.code, result.output).toBe(4);
    expect(result.stdout).toContain(`jaxlib: its metadata cannot be read: ${info('jaxlib-0.10.2')}`);
    expect(result.stdout).toContain("jax: its metadata say version 'many', which is none");
    fs.rmSync(path.join(venv.packages, 'jax_plugins'), { recursive: true });
    const gone = await venv.check();
    expect(gone.code, gone.output).toBe(4);
    expect(gone.stdout).toContain('its files cannot be read');
    expect(gone.stdout).toContain('--force-reinstall --no-deps iree-pjrt-plugin-cpu');
  });

  test('no Python: named, and said how to name one', async () => {
    const gone = await checkout.run(['compat', 'check'], { env: { VIRTUAL_ENV: '/no/such/folder' } });
    expect(gone.code, gone.output).toBe(8);
    expect(gone.stderr).toContain('VIRTUAL_ENV names /no/such/folder, where there is no Python');
    const none = await checkout.run(['compat', 'check'], { env: { PATH: checkout.path('venvs') } });
    expect(none.code, none.output).toBe(8);
    expect(none.stderr).toMatch(/python3 is no Python that starts[^]*--python PATH/);
    fs.writeFileSync(checkout.path('not-python'), '#!/bin/sh\necho "no, a shell" >&2; exit 3\n', { mode: 0o755 });
    const other = await checkout.run(['compat', 'check', '--python', './not-python']);
    expect(other.code, other.output).toBe(8);
    expect(other.stderr).toContain('not-python is no Python that starts: no, a shell');
  });
});
