// SPDX-License-Identifier: Apache-2.0
/** `npm run docs`: writes docs/pipeline-yaml.md from the schemas. `--check` only says whether it is stale. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeReference, readReference, REFERENCE_FILE } from './reference.js';

const root = join(import.meta.dirname, '..');
const text = await makeReference(root);
if (text === (await readReference(root))) {
  process.stdout.write(`${REFERENCE_FILE} is up to date\n`);
} else if (process.argv.includes('--check')) {
  process.stderr.write(`${REFERENCE_FILE} is stale: run \`npm run docs\`\n`);
  process.exitCode = 1;
} else {
  await writeFile(join(root, REFERENCE_FILE), text);
  process.stdout.write(`wrote ${REFERENCE_FILE}\n`);
}
