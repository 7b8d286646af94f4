// SPDX-License-Identifier: Apache-2.0
/** `npx pipeline run publish`, against a package index on this machine. */
import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCheckout, removeCheckouts, sha256, type Checkout } from '../rigs/checkout.js';
import { freePort } from '../rigs/free-port.js';
import { PackageIndex } from '../rigs/package-index.js';
import { failureIn, ranIn } from '../rigs/pipeline-run.js';

const NODE = 'publish-wheels[cpu-release]';
const LOGIN = { TWINE_USERNAME: 'somebody', TWINE_PASSWORD: 'secret', TWINE_REPOSITORY: undefined };

let checkout: Checkout;
let index: PackageIndex | undefined;
beforeAll(async () => {
  checkout = await makeCheckout();
  const python = checkout.tool('python');
  index = await PackageIndex.start(python, checkout.path('index'), await freePort());
});
afterAll(async () => {
  index?.stop();
  await removeCheckouts();
});

test('rehearsed, it leaves what it would upload and uploads nothing', async () => {
  const result = await checkout.run(['run', 'publish', '--set', 'publish.rehearse=true', '--json'], {
    env: { ...LOGIN, TWINE_REPOSITORY_URL: index?.url },
  });
  expect(result.code, result.output).toBe(0);
  expect(checkout.files('index')).toEqual([]);
  const [wheel = ''] = checkout.files('dist/upload');
  const digest = (file: string): string => sha256(fs.readFileSync(checkout.path(file)));
  expect(digest(wheel)).toBe(digest(wheel.replace('upload/', '')));
});

test('uploads the very wheel that was tested', async () => {
  const result = await checkout.run(['run', 'publish', '--json'], {
    env: { ...LOGIN, TWINE_REPOSITORY_URL: index?.url },
  });
  expect(result.code, result.output).toBe(0);
  expect(ranIn(result)).toEqual([NODE]);
  const [wheel = ''] = checkout.files('index');
  expect(wheel).toMatch(/\.whl$/);
  const digest = (file: string): string => sha256(fs.readFileSync(checkout.path(file)));
  expect(digest(wheel)).toBe(digest(wheel.replace('index/', 'dist/')));
});

test('a second upload runs again, and ends with what the index says', async () => {
  const result = await checkout.run(['run', 'publish', '--json'], {
    env: { ...LOGIN, TWINE_REPOSITORY_URL: index?.url },
  });
  expect(result.code, result.output).toBe(9);
  expect(result.output).toMatch(/already exists|400 Bad Request/);
  expect(result.output).not.toContain('secret');
});

test('no index is there: the network is named', async () => {
  const result = await checkout.run(['run', 'publish', '--json'], {
    env: { ...LOGIN, TWINE_REPOSITORY_URL: `http://127.0.0.1:${await freePort()}/` },
  });
  expect(result.code, result.output).toBe(7);
  expect(failureIn(result)).toMatchObject({ kind: 'network', message: expect.stringContaining('upload') as string });
});
