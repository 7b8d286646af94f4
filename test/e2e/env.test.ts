// SPDX-License-Identifier: Apache-2.0
/** `pipeline env`: the library as it was just built, under JAX, without a wheel. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';
import { cleanEnv } from '../rigs/pipeline-run.js';

let checkout: Checkout;
let python: string;
beforeAll(async () => {
  checkout = await makeCheckout();
  python = path.join(checkout.resultFiles('setup-jax'), 'bin', 'python');
});
afterAll(removeCheckouts);

const EVAL = 'eval "$(node bin/pipeline.mjs env cpu)"';

/** The lines that a developer types, in one shell in the checkout. */
function shell(...lines: readonly string[]): string {
  return execFileSync('bash', ['-ec', lines.join('\n')], {
    cwd: checkout.root,
    encoding: 'utf8',
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 3 * 60_000,
  });
}

test('JAX runs jit and random.normal on the built library', () => {
  const script = checkout.path('check.py');
  fs.writeFileSync(
    script,
    [
      'import importlib.metadata as m, os',
      'import jax, jax.numpy as jnp, numpy as np',
      'print(jax.default_backend(), jax.jit(lambda x: x * 2 + 1)(jnp.arange(4.0)))',
      'key = jax.random.key(7)',
      'got = np.asarray(jax.random.normal(key, (1000,)))',
      'with jax.default_device(jax.devices("cpu")[0]):',
      '    wanted = np.asarray(jax.random.normal(jax.random.key(7), (1000,)))',
      'print(np.allclose(got, wanted, rtol=2e-5, atol=2e-6))',
      'print([d.name for d in m.distributions() if "pjrt" in d.name.lower()])',
      'maps = {line.split()[-1] for line in open("/proc/self/maps") if "pjrt_plugin_iree_cpu.so" in line}',
      'print(*maps)',
    ].join('\n'),
  );
  const lines = shell(EVAL, `JAX_PLATFORMS=iree_cpu,cpu ${python} ${script}`).trimEnd().split('\n');
  expect(lines).toEqual([
    'iree_cpu [1. 3. 5. 7.]',
    'True',
    '[]',
    path.join(checkout.resultFiles('build-native@cpu-release'), 'pjrt_plugin_iree_cpu.so'),
  ]);
});

test('the lines can be evaluated twice, and bring the Python that has JAX and the tools', () => {
  const lines = shell(EVAL, 'echo "$PATH"', EVAL, 'echo "$PATH"', 'command -v python', 'cmake --version').split('\n');
  const [once, twice, found, cmake] = lines;
  expect(twice).toBe(once);
  expect(found).toBe(python);
  expect(cmake).toMatch(/^cmake version/);
});

test('a Python environment that the developer has entered stays in force', () => {
  // Any other environment stands for one that the developer has entered.
  const bin = path.join(checkout.resultFiles('setup-tools'), 'bin');
  const entered = `export VIRTUAL_ENV=${path.dirname(bin)} PATH=${bin}:$PATH`;
  const [found, last] = shell(entered, EVAL, 'command -v python', 'echo "${PATH##*:}"').split('\n');
  expect(found).toBe(path.join(bin, 'python'));
  expect(last).toBe(path.dirname(python));
});

test('before the first build it says what to run', async () => {
  const empty = await makeCheckout({ seed: 'none' });
  const { code, output } = await empty.run(['env', 'cpu']);
  expect(code).toBe(2);
  expect(output).toContain("error: the library for 'cpu' has not been built yet");
  expect(output).toContain('npx pipeline run --only build-native');
});
