// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { valid as validPep440, validRange } from '@renovatebot/pep440';

/** Where a schema of ours lies, e.g. `lock`. */
export function schemaUrl(name: string): URL {
  return new URL(`../../../schemas/${name}.schema.json`, import.meta.url);
}

/** What is wrong with `value` by a schema, a line each; empty if nothing. */
export async function checkAgainst(name: string, value: unknown): Promise<string[]> {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  ajv.addFormat('pep440-version', (text: string) => validPep440(text) !== null);
  ajv.addFormat('pep440-range', (text: string) => text.trim() !== '' && validRange(text));
  const validate = ajv.compile(JSON.parse(await readFile(schemaUrl(name), 'utf8')) as object);
  return validate(value) ? [] : (validate.errors ?? []).map(say);
}

function say(error: ErrorObject): string {
  const place = error.instancePath === '' ? 'the file' : error.instancePath.slice(1).replaceAll('/', '.');
  const extra = (error.params as { readonly additionalProperty?: string }).additionalProperty;
  return extra === undefined ? `${place} ${error.message ?? 'is wrong'}` : `${place} has an unknown key \`${extra}\``;
}
