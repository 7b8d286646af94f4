// SPDX-License-Identifier: Apache-2.0
import type { ErrorObject } from 'ajv';
import type { Diagnostic } from '../diagnostic.js';
import { nearest, suggest } from '../base/nearest.js';
import type { Path, YamlDocument } from './document.js';
import { FORMAT_NAMES } from './validate.js';

/** What ajv puts into an error, as far as it is read here. */
interface Params {
  readonly additionalProperty?: string;
  readonly unevaluatedProperty?: string;
  readonly missingProperty?: string;
  readonly allowedValues?: readonly unknown[];
  readonly allowedValue?: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly limit?: number;
  readonly i?: number;
  readonly j?: number;
}
interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternHint?: string;
}

/** ajv's errors as diagnostics at the exact key or value, one per mistake. */
export function explainErrors(errors: readonly ErrorObject[], document: YamlDocument): Diagnostic[] {
  const kept = dropConsequences(collapseAlternatives(errors.filter((error) => error.keyword !== 'if')));
  const seen = new Set<string>();
  const found: Diagnostic[] = [];
  for (const error of kept) {
    const identity = `${error.instancePath} ${error.propertyName ?? ''} ${error.message ?? ''}`;
    if (seen.has(identity)) continue;
    seen.add(identity);
    found.push(explain(error, document));
  }
  return found;
}

/**
 * `anyOf` and `oneOf` report the errors of every branch. Kept are those deepest in the value (of the branch that the
 * author meant), or else one error that names all the types.
 */
function collapseAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword === 'propertyNames') continue;
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      kept.push(error);
      continue;
    }
    const branches: ErrorObject[] = [];
    // ajv emits the branches' errors just before the one that sums them up.
    while (kept.at(-1)?.instancePath.startsWith(error.instancePath)) branches.unshift(kept.pop() as ErrorObject);
    const deeper = branches.filter((branch) => branch.instancePath.length > error.instancePath.length);
    const types = branches.filter((branch) => branch.keyword === 'type');
    const others = branches.filter((branch) => branch.keyword !== 'type' && !deeper.includes(branch));
    if (deeper.length > 0) kept.push(...deeper);
    else if (others.length > 0) kept.push(...others);
    else if (types.length > 0) kept.push(mergeTypes(error, types));
    else kept.push(error);
  }
  return kept;
}

function mergeTypes(sum: ErrorObject, errors: readonly ErrorObject[]): ErrorObject {
  const wanted = errors.flatMap((error) => (error.params as Params).type ?? []);
  return { ...sum, keyword: 'type', params: { type: [...new Set(wanted)] } };
}

/** A misspelt key is one mistake, although the right one is missing as well. */
function dropConsequences(errors: readonly ErrorObject[]): ErrorObject[] {
  const meant = new Set<string>();
  for (const error of errors) {
    const key = unknownKey(error);
    const near = key === undefined ? undefined : nearest(key, Object.keys(schemaOf(error).properties ?? {}));
    if (near !== undefined) meant.add(`${error.instancePath} ${near}`);
  }
  return errors.filter((error) => {
    const missing = (error.params as Params).missingProperty;
    return missing === undefined || !meant.has(`${error.instancePath} ${missing}`);
  });
}

function unknownKey(error: ErrorObject): string | undefined {
  const params = error.params as Params;
  return params.additionalProperty ?? params.unevaluatedProperty;
}

function schemaOf(error: ErrorObject): Schema {
  return (error.parentSchema ?? {}) as Schema;
}

function explain(error: ErrorObject, document: YamlDocument): Diagnostic {
  const path = toPath(error.instancePath);
  if (error.propertyName !== undefined) {
    const message = `'${error.propertyName}' cannot be a key here`;
    return document.at(document.key([...path, error.propertyName]), message, wanted(schemaOf(error)));
  }
  const params = error.params as Params;
  const unknown = unknownKey(error);
  if (unknown !== undefined) {
    const allowed = Object.keys(schemaOf(error).properties ?? {});
    return document.at(document.key([...path, unknown]), `unknown key '${unknown}'`, suggest(unknown, allowed));
  }
  if (params.missingProperty !== undefined) return missingKey(error, path, params.missingProperty, document);
  if (error.keyword === 'uniqueItems') {
    const [first = 0, second = 0] = [params.j, params.i].map((index) => index ?? 0).sort((a, b) => a - b);
    const text = show((error.data as readonly unknown[])[second]);
    const line = document.value([...path, first]).line;
    return document.at(document.value([...path, second]), `${text} is listed twice`, `first on line ${line}`);
  }
  const [message, help] = explainValue(error, params, path, document);
  return document.at(document.value(path), message, help);
}

function missingKey(error: ErrorObject, path: Path, missing: string, document: YamlDocument): Diagnostic {
  const schema = schemaOf(error).properties?.[missing] as (Schema & { readonly const?: unknown }) | undefined;
  const where = path.length === 0 ? 'the file' : nameOf(path);
  const example = JSON.stringify(schema?.examples?.[0] ?? schema?.const ?? null);
  const words = schema?.description?.replace(/\.$/, '') ?? schema?.title ?? `add the key '${missing}'`;
  const help = `${words}; e.g. ${missing}: ${example}`;
  return document.at(document.key(path), `${where} lacks the key '${missing}'`, help);
}

function explainValue(
  error: ErrorObject,
  params: Params,
  path: Path,
  document: YamlDocument,
): [message: string, help: string | undefined] {
  const name = nameOf(path);
  const found = show(error.data);
  const schema = schemaOf(error);
  switch (error.keyword) {
    case 'type': {
      const types = [params.type ?? []].flat();
      return [`${name} must be ${types.map(typeName).join(' or ')}, found ${describe(error.data)}`, typeHelp()];
    }
    case 'enum': {
      // A leading underscore marks names for tests and authors of stages.
      const allowed = (params.allowedValues ?? []).map(String).filter((value) => !value.startsWith('_'));
      return [
        `${name} cannot be ${found}`,
        typeof error.data === 'string' ? suggest(error.data, allowed) : `allowed: ${allowed.join(', ')}`,
      ];
    }
    case 'const':
      return [`${name} must be ${show(params.allowedValue)}, found ${describe(error.data)}`, undefined];
    case 'format': {
      const format = FORMAT_NAMES[params.format ?? ''] ?? `of the format ${params.format ?? ''}`;
      return [`${found} is not ${format.replace(/, e\.g\..*/, '')}`, `wanted ${format}`];
    }
    case 'pattern':
      return [`${name} cannot be ${found}`, wanted(schema)];
    case 'minItems':
    case 'minProperties':
    case 'minLength':
      return [params.limit === 1 ? `${name} is empty` : `${name} ${error.message ?? ''}`, wanted(schema)];
    default:
      return [`${name} ${error.message ?? 'is not allowed'}`, wanted(schema)];
  }

  function typeHelp(): string | undefined {
    const types = [params.type ?? []].flat();
    if (types.includes('string') && ['number', 'boolean'].includes(typeof error.data)) {
      return `put it in quotes: "${document.written(path) ?? String(error.data)}"`;
    }
    if (types.includes('array') && typeof error.data === 'string') return `write a list: [${error.data}]`;
    return wanted(schema);
  }
}

/** The schema's own words on what a value should be. */
function wanted(schema: Schema): string | undefined {
  const words = schema.patternHint ?? schema.description ?? schema.title;
  const example = schema.examples?.[0];
  if (words === undefined && example === undefined) return undefined;
  const text = words?.replace(/\.$/, '') ?? 'wanted';
  return example === undefined ? text : `${text}; e.g. ${JSON.stringify(example)}`;
}

function typeName(type: string): string {
  const names: Record<string, string> = {
    array: 'a list',
    object: 'a map of keys and values',
    string: 'text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    null: 'empty',
  };
  return names[type] ?? type;
}

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'string') return `the text ${show(value)}`;
  return typeof value === 'number' ? `the number ${value}` : JSON.stringify(value);
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** `'needs'`, or for items `item 2 of 'needs'`. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'the file';
  return typeof last === 'number' ? `item ${last + 1} of ${nameOf(path.slice(0, -1))}` : `'${last}'`;
}

/** A JSON pointer's steps; those that index a list become numbers, as the document wants them. */
function toPath(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
