// SPDX-License-Identifier: Apache-2.0
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { valid as validPep440, validRange as validPep440Range } from '@renovatebot/pep440';
import semver from 'semver';
import type { JsonObject } from '../api.js';
import { ROOT_SCHEMA, readSchemaTexts } from './schema-files.js';

/** The envelope's schema, and by path those of the stages that it refers to. */
export interface SchemaSet {
  readonly root: JsonObject;
  readonly parts: ReadonlyMap<string, JsonObject>;
}

/** Reads `pipeline.schema.json` and `stages/*.schema.json` below `folder`. */
export async function readSchemas(folder: string): Promise<SchemaSet> {
  const schemas = new Map([...(await readSchemaTexts(folder))].map(([file, text]) => [file, parseSchema(text, file)]));
  const root = schemas.get(ROOT_SCHEMA);
  if (!root) throw new Error(`no ${ROOT_SCHEMA} in ${folder}`);
  schemas.delete(ROOT_SCHEMA);
  return { root, parts: schemas };
}

function parseSchema(text: string, file: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    throw new Error(`schemas/${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Formats beyond those of JSON Schema. Editors ignore what they do not know;
 * the docs name them in words (`FORMAT_NAMES`).
 */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  'pep440-version': (text) => validPep440(text) !== null,
  'pep440-range': (text) => text.trim() !== '' && validPep440Range(text),
  semver: (text) => semver.valid(text) !== null,
  'semver-range': (text) => semver.validRange(text) !== null,
  uri: (text) => URL.canParse(text),
};

export const FORMAT_NAMES: Readonly<Record<string, string>> = {
  'pep440-version': 'a PEP 440 version, e.g. 1.2.3 or 1.2.0rc1',
  'pep440-range': 'a PEP 440 version range, e.g. >=1.2,<2',
  semver: 'a semantic version, e.g. 1.2.3',
  'semver-range': 'a semver range, e.g. >=1.2 <2',
  uri: 'a URL',
};

export interface Validator {
  /** Fills defaults in `value` and returns the errors, ajv's own. */
  check(value: unknown): readonly ErrorObject[];
}

/** ajv over all the schemas at once: every error, with the schema and data that it is about. */
export function compileSchemas(schemas: SchemaSet): Validator {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    useDefaults: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    // The test that compiles the schemas checks them; at run time that would only cost time.
    validateSchema: false,
    formats: FORMATS,
    keywords: ['markdownDescription', 'defaultSnippets', 'patternHint'],
  });
  for (const [file, schema] of schemas.parts) ajv.addSchema({ ...schema, $id: file });
  const validate: ValidateFunction = ajv.compile(schemas.root);
  return { check: (value) => (validate(value) ? [] : (validate.errors ?? [])) };
}
