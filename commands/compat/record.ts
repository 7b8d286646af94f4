// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { fail } from '../../engine/failure.js';
import { MATRIX_FILE } from '../../stages/lib/compat/files.js';
import {
  diffMatrices,
  readMatrix,
  recordCells,
  renderMatrix,
  type MeasuredCell,
} from '../../stages/lib/compat/matrix.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';
import { type CommandContext, findRoot, print } from '../context.js';

const REPORT = 'dist/matrix/matrix.json';
const SCHEMA = 'matrix';

/** What the stage `matrix-report` publishes, as far as it is recorded. */
interface Report {
  readonly version: string;
  readonly suite: string;
  readonly cells: readonly MeasuredCell[];
}

/** Writes what the matrix measured into compat/matrix.yaml, and shows what that changes. */
export async function run(context: CommandContext, [file]: readonly (string | undefined)[]): Promise<number> {
  const root = findRoot(context.folder);
  const path = file === undefined ? join(root, REPORT) : resolve(context.folder, file);
  const { version, suite, cells } = await readReport(path, relative(context.cwd, path));
  const before = await readMatrix(root);
  const after = recordCells(before, { plugin: version, suite }, cells);
  const diff = diffMatrices(before, after);
  if (diff.length === 0) {
    print(context, `${MATRIX_FILE} says the same`);
    return 0;
  }
  await writeFileAtomic(join(root, MATRIX_FILE), await renderMatrix(root, after));
  print(context, [`${MATRIX_FILE} changed:`, ...diff.map((line) => `  ${line}`), 'read it before you commit it']);
  return 0;
}

async function readReport(path: string, shown: string): Promise<Report> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    return fail({
      kind: 'usage',
      message: `${shown} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      help: 'npx pipeline run matrix makes it',
    });
  }
  const problems = await checkAgainst(SCHEMA, value);
  if (problems.length > 0) {
    fail({
      kind: 'usage',
      message: `${shown} is no report of the matrix: ${problems.slice(0, 3).join('; ')}`,
      help: `schemas/${SCHEMA}.schema.json says what is in one; npx pipeline run matrix makes it`,
    });
  }
  return value as Report;
}
