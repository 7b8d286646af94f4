// SPDX-License-Identifier: Apache-2.0
/** `npx pipeline resolve --update`, with a package index on this machine that has releases which compat/ does not know. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';
import { freePort } from '../rigs/free-port.js';
import { PackageIndex } from '../rigs/package-index.js';
import { writeWheel } from '../rigs/wheel-server.js';

const JAXLIB = 'compat/jaxlib.yaml';
const IREE = 'compat/iree.yaml';
/** A real release, whose row is taken out of compat/, so that it is new. */
const NEW = '0.10.2';

interface Rows {
  readonly rows: readonly { readonly version: string; readonly xlaCommit: string; readonly note?: string }[];
}

let checkout: Checkout;
let index: PackageIndex | undefined;
let env: Record<string, string>;
beforeAll(async () => {
  checkout = await makeCheckout({ seed: 'tools' });
  const python = checkout.tool('python');
  const folder = checkout.path('index');
  index = await PackageIndex.start(python, folder, await freePort());
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', folder];
  execFileSync(python, [...download, `jaxlib==${NEW}`]);
  env = { PIP_EXTRA_INDEX_URL: `${index.url}simple/` };
});
afterAll(async () => {
  index?.stop();
  await removeCheckouts();
});

function rowsOf(file: string): Rows['rows'] {
  return (parse(checkout.read(file)) as Rows).rows;
}

/** Takes the row of a version out of the file. */
function takeOut(version: string): void {
  const row = new RegExp(`^  - version: '?${version.replaceAll('.', '\\.')}'?\\n(?:    .*\\n)*`, 'm');
  checkout.replace(JAXLIB, row.exec(checkout.read(JAXLIB))?.[0] ?? 'no such row', '');
}

test('a new release is measured, written for review and shown; what cannot be measured is named and not written', async () => {
  const known = rowsOf(JAXLIB);
  const iree = checkout.read(IREE);
  takeOut(NEW);
  // Both packages can be installed, and contain nothing.
  await writeWheel(checkout.path('index'), 'jaxlib', '0.12.9', { 'jaxlib/__init__.py': '' });
  await writeWheel(checkout.path('index'), 'iree_base_compiler', '3.99.0', { 'iree/nothing.txt': '' });
  const result = await checkout.run(['resolve', '--update'], { env });
  expect(result.code, result.output).toBe(0);
  expect(result.stdout).toContain(
    `new: jaxlib ${NEW}, measured and written to ${JAXLIB}:\n  + ${NEW} version: "${NEW}"\n`,
  );
  expect(result.stderr).toContain('new: jaxlib 0.12.9 could not be measured');
  expect(result.stderr).toContain('new: iree 3.99.0 could not be measured');
  // The commit of XLA stands in the repository of jax, which was not named.
  const unknown = { xlaCommit: 'unknown', note: expect.stringContaining('no jax repository was named') as string };
  expect(rowsOf(JAXLIB)).toEqual(known.map((row) => (row.version === NEW ? { ...row, ...unknown } : row)));
  expect(checkout.read(IREE)).toBe(iree);
  expect(checkout.read('pipeline.lock.yaml')).not.toContain('0.12.9');
});

test('no network: nothing is taken for measured, and nothing is written', async () => {
  const before = checkout.read(JAXLIB);
  const nowhere = 'http://127.0.0.1:9';
  const offline = { HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere, ALL_PROXY: nowhere, PIP_RETRIES: '0', NO_PROXY: '' };
  const result = await checkout.run(['resolve', '--update'], { env: offline });
  expect(result.code, result.output).toBe(7);
  expect(checkout.read(JAXLIB)).toBe(before);
});
