// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT_BUG, EXIT_CODES } from '../../engine/failure.js';
import { makeReference, readReference } from '../../scripts/reference.js';

const ROOT = join(import.meta.dirname, '../..');

test('docs/pipeline-yaml.md is what the schemas say (if not: npm run docs)', async () => {
  expect(await readReference(ROOT)).toBe(await makeReference(ROOT));
});

test('docs/exit-codes.md has a row for every family', async () => {
  const rows = [
    ...(await readFile(join(ROOT, 'docs/exit-codes.md'), 'utf8')).matchAll(/^\| (\d+) +\| (?:`([\w-]+)`)?/gm),
  ];
  const documented = rows.map((row) => [row[2] ?? '', Number(row[1])] as const);
  for (const entry of Object.entries(EXIT_CODES)) expect(documented).toContainEqual(entry);
  expect(documented).toContainEqual(['', EXIT_BUG]);
});
