// SPDX-License-Identifier: Apache-2.0
/** The packed wheel beside versions that it does not work with: what it says itself, and what `compat check` says. */
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMatrix, type MatrixRow } from '../../stages/lib/compat/matrix.js';
import { HERE, makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';
import { IREE, OTHER_IREE } from '../rigs/locked.js';
import type { PipelineResult } from '../rigs/pipeline-run.js';
import { writeWheel } from '../rigs/wheel-server.js';

let checkout: Checkout;
let python: string;
/** The rows that were measured for the Python here. */
let works: readonly MatrixRow[];
beforeAll(async () => {
  checkout = await makeCheckout();
  const wheel = checkout.files('dist').find((file) => /plugin_cpu-\d[^+]*x86_64\.whl$/.test(file)) ?? 'no wheel';
  const venv = checkout.path('venv');
  python = path.join(venv, 'bin', 'python');
  execFileSync('python3', ['-m', 'venv', venv]);
  pip('--no-deps', checkout.path(wheel), 'packaging');
  const ask = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const minor = execFileSync(python, ['-c', ask], { encoding: 'utf8' }).trim();
  const { rows } = await readMatrix(HERE);
  works = rows.filter(
    ({ device, runtime, result, pythons }) =>
      device === 'cpu' && runtime === IREE && result === 'works' && pythons.includes(minor),
  );
});
afterAll(removeCheckouts);

function pip(...args: readonly string[]): void {
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...args]);
}

/** Installs packages that are nothing but their metadata, since nothing else of them is looked at. */
async function install(jaxlib: string, compiler: string): Promise<void> {
  const folder = checkout.path('wheels');
  const names = { jax: jaxlib, jaxlib, iree_base_compiler: compiler };
  for (const [name, version] of Object.entries(names)) {
    pip('--no-deps', '--force-reinstall', await writeWheel(folder, name, version, {}));
  }
}

const check = (): Promise<PipelineResult> =>
  checkout.run(['compat', 'check'], { env: { VIRTUAL_ENV: checkout.path('venv') } });

function saidByTheWheel(code: string): string {
  const ran = spawnSync(python, ['-c', `from jax_plugins.iree_cpu.setup import _versions; ${code}`], {
    encoding: 'utf8',
  });
  expect(ran.status, ran.stderr).toBe(1);
  return ran.stderr.trim().split('\n').at(-1) ?? '';
}

const commandIn = (text: string): string | undefined => /pip install .*$/m.exec(text)?.[0];

test('a jaxlib that is too old: both say no, with the same command', async () => {
  await install('0.5.3', IREE);
  const said = saidByTheWheel('_versions.check_jaxlib("0.5.3")');
  expect(said).toMatch(/works with jaxlib>=0\.6\.1,<0\.13, but jaxlib 0\.5\.3 is installed\. Install .* pip install "/);
  const result = await check();
  expect(result.code, result.output).toBe(4);
  if (works.length > 0) expect(commandIn(result.stdout)).toBe(commandIn(said));
});

test('a compiler of another release: both say no, with the same command, which changes nothing else', async () => {
  const jaxlib = works.at(-1)?.jaxlib ?? '0.10.2';
  await install(jaxlib, OTHER_IREE);
  const said = saidByTheWheel('_versions.check_compiler()');
  const result = await check();
  expect(result.code, result.output).toBe(4);
  if (works.length === 0) return;
  expect(commandIn(said)).toContain(`"jaxlib==${jaxlib}"`);
  expect(commandIn(result.stdout)).toBe(commandIn(said));
});

test('what the matrix ran works, and what it did not is unknown', async () => {
  for (const jaxlib of ['0.10.2', '0.10.1']) {
    await install(jaxlib, IREE);
    const known = works.some((row) => row.jaxlib === jaxlib);
    const result = await check();
    expect(result.code, result.output).toBe(known ? 0 : 14);
  }
});
