// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';
import { readSchemaTexts, ROOT_SCHEMA } from '../engine/config/schema-files.js';
import { FORMAT_NAMES } from '../engine/config/validate.js';

/** The parts of JSON Schema that the project's schemas use. */
interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

interface Row {
  readonly key: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export const REFERENCE_FILE = 'docs/pipeline-yaml.md';

/** docs/pipeline-yaml.md as the schemas below `root` have it, formatted. */
export async function makeReference(root: string): Promise<string> {
  const texts = await readSchemaTexts(join(root, 'schemas'));
  const schemas = new Map([...texts].map(([file, text]) => [file, JSON.parse(text) as Schema]));
  const envelope = schemas.get(ROOT_SCHEMA) ?? {};
  const lines = [
    '# pipeline.yaml',
    '',
    '<!-- Generated from schemas/ by `npm run docs`; do not edit. -->',
    '',
    `${envelope.description ?? ''} Editors that read the first line of the file complete its keys. ` +
      '`npx pipeline docs KEY` prints one section of this page.',
    '',
    'YAML 1.2 without anchors and aliases. Version numbers are text: put them in quotes.',
    '',
  ];
  for (const [key, schema] of Object.entries(envelope.properties ?? {})) {
    lines.push(...section(key, schema, envelope, envelope.required?.includes(key) ?? false));
  }
  lines.push('# Options of the stages', '', 'What `with` may hold, by the value of `uses`.', '');
  for (const [file, schema] of schemas) {
    const name = /^stages\/(.*)\.schema\.json$/.exec(file)?.[1];
    if (name === undefined || name.startsWith('_')) continue;
    lines.push(`## \`${name}\``, '', schema.description ?? '', '', ...table(rowsOf(schema, schema, '')), '');
  }
  const style = (await resolveConfig(join(root, REFERENCE_FILE))) ?? {};
  return await format(lines.join('\n'), { ...style, parser: 'markdown', embeddedLanguageFormatting: 'off' });
}

export async function readReference(root: string): Promise<string> {
  return await readFile(join(root, REFERENCE_FILE), 'utf8').catch(() => '');
}

function section(key: string, written: Schema, root: Schema, required: boolean): string[] {
  const schema = deref(written, root);
  const rows = rowsOf(schema, root, '');
  const lines = [`## \`${key}\``, '', `${schema.description ?? schema.title ?? ''}${required ? ' Required.' : ''}`, ''];
  if (rows.length > 0) lines.push(...table(rows), '');
  const example = schema.examples?.[0];
  if (example !== undefined)
    lines.push('For example:', '', '```yaml', stringify({ [key]: example }).trimEnd(), '```', '');
  return lines;
}

/** Keys below a schema, by path: `axes.<name>`, `[].name`. */
function rowsOf(written: Schema, root: Schema, path: string): Row[] {
  const schema = deref(written, root);
  const rows: Row[] = [];
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const key = path === '' ? name : `${path}.${name}`;
    rows.push({ key, schema: deref(part, root), required: schema.required?.includes(name) ?? false });
    rows.push(...rowsOf(part, root, key));
  }
  const extra = schema.additionalProperties;
  if (typeof extra === 'object') {
    const key = path === '' ? '<name>' : `${path}.<name>`;
    const part = deref(extra, root);
    if (part.title !== undefined || part.description !== undefined) rows.push({ key, schema: part, required: false });
    rows.push(...rowsOf(part, root, key));
  }
  if (schema.items) rows.push(...rowsOf(schema.items, root, `${path}[]`));
  return rows;
}

/** Follows a local `$ref`, also as the first of an `allOf`; those to the stages' files have sections of their own. */
function deref(schema: Schema, root: Schema): Schema {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  const name = /^#\/\$defs\/(.*)$/.exec(ref ?? '')?.[1];
  return (name === undefined ? undefined : root.$defs?.[name]) ?? schema;
}

function table(rows: readonly Row[]): string[] {
  if (rows.length === 0) return ['It has no options.'];
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return [
    '| key | value | meaning |',
    '| --- | --- | --- |',
    ...rows.map(({ key, schema, required }) => {
      const meaning = [schema.description ?? schema.title ?? '', ...notes(schema, required)].filter(Boolean).join(' ');
      return `| \`${key}\` | ${cell(valueOf(schema))} | ${cell(meaning)} |`;
    }),
  ];
}

function notes(schema: Schema, required: boolean): string[] {
  const found: string[] = [];
  if (required) found.push('Required.');
  if (schema.default !== undefined) found.push(`Default: \`${JSON.stringify(schema.default)}\`.`);
  else if (schema.examples?.[0] !== undefined) found.push(`Example: \`${JSON.stringify(schema.examples[0])}\`.`);
  return found;
}

function valueOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) {
    const shown = schema.enum.map(String).filter((value) => !value.startsWith('_'));
    return `one of ${shown.map((value) => `\`${value}\``).join(', ')}`;
  }
  if (schema.format !== undefined) return FORMAT_NAMES[schema.format]?.replace(/, e\.g\..*/, '') ?? schema.format;
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map((part) => valueOf(part)))].join(' or ');
  if (schema.type === 'array') return schema.items ? `list of ${plural(valueOf(schema.items))}` : 'list';
  const words: Readonly<Record<string, string>> = { object: 'map', string: 'text', integer: 'whole number' };
  return [schema.type ?? 'any']
    .flat()
    .map((type) => words[type] ?? type)
    .join(' or ');
}

function plural(value: string): string {
  if (value.startsWith('list')) return value.replace('list', 'lists');
  return { map: 'maps', text: 'texts', 'whole number': 'whole numbers' }[value] ?? value;
}
