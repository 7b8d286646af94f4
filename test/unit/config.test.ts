// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkSource, loadConfig } from '../../engine/config/load.js';
import { readSource } from '../../engine/config/source.js';
import { compileSchemas, readSchemas } from '../../engine/config/validate.js';
import { formatDiagnostics } from '../../engine/diagnostic.js';
import { type Failure, PipelineFailure } from '../../engine/failure.js';
import { STAGES } from '../../stages/registry.js';

const ROOT = join(import.meta.dirname, '../..');
const SCHEMAS = join(ROOT, 'schemas');
const BAD = join(ROOT, 'test/fixtures/bad-yaml');

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof PipelineFailure) return error.failure;
    throw error;
  }
  throw new Error('it did not fail');
}

function shown(failure: Failure): string {
  const diagnostics = failure.kind === 'config' ? failure.diagnostics : [];
  return `${[failure.message, '', ...formatDiagnostics(diagnostics)].join('\n')}\n`;
}

describe('bad files', async () => {
  const names = (await readdir(BAD)).filter((name) => name.endsWith('.yaml'));
  test.each(names)('%s', async (name) => {
    const check = async (): Promise<void> => {
      await checkSource(await readSource(join(BAD, name), 'pipeline.yaml'), SCHEMAS);
    };
    const failure = await failureOf(check());
    expect(failure.kind).toBe('config');
    await expect(shown(failure)).toMatchFileSnapshot(join(BAD, name.replace('.yaml', '.txt')));
  });
});

describe('files that cannot be read', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'config-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  test('a missing file is a usage failure that says where to look', async () => {
    const failure = await failureOf(readSource(join(folder, 'pipeline.yaml'), 'pipeline.yaml'));
    expect(failure).toMatchObject({ kind: 'usage', message: 'there is no pipeline.yaml' });
  });

  test('a folder', async () => {
    await mkdir(join(folder, 'pipeline.yaml'));
    const failure = await failureOf(readSource(join(folder, 'pipeline.yaml'), 'pipeline.yaml'));
    expect(shown(failure)).toContain('pipeline.yaml:1:1: error: the file is a folder, not a file');
  });

  test('a huge file is not even parsed', async () => {
    await writeFile(join(folder, 'pipeline.yaml'), 'a'.repeat(1024 * 1024 + 1));
    const failure = await failureOf(readSource(join(folder, 'pipeline.yaml'), 'pipeline.yaml'));
    expect(shown(failure)).toContain('the file is too large (1.0 MiB)');
  });
});

describe('good files', () => {
  test("the project's own pipeline.yaml is accepted and resolved", async () => {
    const config = await loadConfig({ path: join(ROOT, 'pipeline.yaml'), file: 'pipeline.yaml', schemas: SCHEMAS });
    expect(config.pipelines[0]?.name).toBe('release');
    expect(Object.keys(config.project.sections)).toEqual(expect.arrayContaining(['supports', 'matrix']));
    expect(Object.keys(config.project.sections)).not.toContain('stages');
    expect(config.variants.length).toBeGreaterThan(0);
  });

  test('defaults of a stage are filled in, with or without `with`', async () => {
    const text =
      'version: 1\nproject: {name: a, version: "1"}\nstages: [{name: a, uses: _null}]\npipelines: {p: {stages: [a]}}';
    const raw = await checkSource({ file: 'pipeline.yaml', text }, SCHEMAS);
    expect(raw.stages[0]).toEqual({ name: 'a', uses: '_null', needs: [], with: { greeting: 'hello' } });
  });

  test('an accepted file is remembered, a changed one is checked again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'config-'));
    const path = join(folder, 'pipeline.yaml');
    const load = () =>
      loadConfig({ path, file: 'p', schemas: SCHEMAS, remember: { folder: join(folder, 'memory'), build: 'x' } });
    const text = await readFile(join(ROOT, 'pipeline.yaml'), 'utf8');
    await writeFile(path, text);
    const first = await load();
    expect(await readdir(join(folder, 'memory'))).toHaveLength(1);
    expect(await load()).toEqual(first);
    await writeFile(path, text.replace('stages:', 'stagez:'));
    expect((await failureOf(load())).kind).toBe('config');
    await rm(folder, { recursive: true });
  });
});

describe('schemas', () => {
  interface Described {
    readonly title?: string;
    readonly description?: string;
    readonly properties?: Readonly<Record<string, Described>>;
    readonly items?: Described;
    readonly additionalProperties?: Described | boolean;
    readonly $defs?: Readonly<Record<string, Described>>;
  }
  const undescribed = (schema: Described, path: string): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, part]) => [
      ...(part.title !== undefined && part.description !== undefined ? [] : [`${path}.${key}`]),
      ...undescribed(part, `${path}.${key}`),
    ]),
    ...(schema.items ? undescribed(schema.items, `${path}[]`) : []),
    ...(typeof schema.additionalProperties === 'object' ? undescribed(schema.additionalProperties, `${path}.*`) : []),
    ...Object.entries(schema.$defs ?? {}).flatMap(([key, part]) => undescribed(part, key)),
  ];

  test('compile strictly, and every key has a title and a description', async () => {
    const schemas = await readSchemas(SCHEMAS);
    compileSchemas(schemas);
    const all = [...schemas.parts, ['pipeline', schemas.root] as const];
    expect(all.flatMap(([file, schema]) => undescribed(schema as Described, file))).toEqual([]);
  });

  test('`uses`, the conditions for `with`, the files and the registry name the same stages', async () => {
    const { root, parts } = await readSchemas(SCHEMAS);
    const envelope = root as unknown as {
      $defs: { stage: { properties: { uses: { enum: string[] } } } };
      properties: { stages: { items: { allOf: { then?: { properties: { with: { $ref: string } } } }[] } } };
    };
    const names = Object.keys(STAGES).sort();
    const refs = envelope.properties.stages.items.allOf.flatMap((part) => part.then?.properties.with.$ref ?? []);
    expect([...envelope.$defs.stage.properties.uses.enum].sort()).toEqual(names);
    expect(refs.sort()).toEqual(names.map((name) => `stages/${name}.schema.json`).sort());
    expect([...parts.keys()]).toEqual(refs);
    for (const [file, schema] of parts) expect(schema['$id']).toBe(file);
  });
});
