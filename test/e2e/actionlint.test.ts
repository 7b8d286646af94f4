// SPDX-License-Identifier: Apache-2.0
/** The generated workflows pass actionlint, which knows GitHub's syntax, expressions, runners and actions. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HERE } from '../rigs/checkout.js';

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';
const hasGo = spawnSync('go', ['version']).status === 0;

let folder: string;
beforeAll(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'actionlint-'))));
afterAll(() => {
  fs.rmSync(folder, { recursive: true });
});

function lint(...files: readonly string[]): { readonly status: number | null; readonly output: string } {
  // actionlint prints its findings to stdout; Go prints its downloads to stderr.
  const { status, stdout } = spawnSync('go', ['run', ACTIONLINT, ...files], { cwd: HERE, encoding: 'utf8' });
  return { status, output: stdout };
}

// actionlint is a Go program; without Go it is not run, which the totals say.
describe.skipIf(!hasGo)('actionlint', () => {
  const workflows = path.join(HERE, '.github/workflows');
  const files = fs.readdirSync(workflows).map((name) => path.join(workflows, name));

  test('finds nothing in the workflows', () => {
    expect(files.length).toBeGreaterThan(0);
    expect(lint(...files)).toEqual({ status: 0, output: '' });
  });

  test('would find a job that needs one that is not there', () => {
    const file = path.join(folder, 'broken.yml');
    fs.writeFileSync(file, fs.readFileSync(files[0] ?? '', 'utf8').replace('      - sources\n', '      - sauces\n'));
    const { status, output } = lint(file);
    expect(status).toBe(1);
    expect(output).toContain('sauces');
  });
});
