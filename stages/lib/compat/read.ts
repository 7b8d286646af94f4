// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { fail } from '../../../engine/failure.js';
import { checkAgainst } from '../schema/check.js';

/** A file of compat/, checked by its schema; fails with kind `usage` where it is missing or wrong. */
export async function readCompatFile<T>(root: string, file: string, schema: string): Promise<T> {
  let value: unknown;
  try {
    value = parse(await readFile(path.join(root, file), 'utf8'));
  } catch (error) {
    return fail({
      kind: 'usage',
      message: `${file} cannot be read: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
      help: 'restore it with git',
    });
  }
  const problems = await checkAgainst(schema, value);
  if (problems.length > 0) {
    fail({
      kind: 'usage',
      message: `${file}: ${problems.join('; ')}`,
      help: `schemas/${schema}.schema.json says what is allowed`,
    });
  }
  return value as T;
}
