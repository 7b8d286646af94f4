// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { byPosition } from '../diagnostic.js';
import { resolveConfig } from './resolve.js';
import { type SourceText, readSource, throwConfig } from './source.js';
import type { RawConfig, ResolvedConfig } from './types.js';

export interface LoadOptions {
  /** Path to read. */
  readonly path: string;
  /** The same as people see it, e.g. `pipeline.yaml`. */
  readonly file: string;
  /** Folder of the JSON schemas. */
  readonly schemas: string;
  /** Where accepted files are remembered by their hash, so that parser and ajv need not even be loaded. */
  readonly remember?: { readonly folder: string; readonly build: string };
}

/** pipeline.yaml → resolved configuration; a failure of kind `config` with every mistake, or `usage` if it is not there. */
export async function loadConfig(options: LoadOptions): Promise<ResolvedConfig> {
  const source = await readSource(options.path, options.file);
  const known = await recall(source, options);
  if (known) return resolveConfig(known, options.file);
  const raw = await checkSource(source, options.schemas);
  await memorize(source, options, raw);
  return resolveConfig(raw, options.file);
}

/** Parses and checks; the slow part (about 0.2 s, mostly loading yaml and ajv), hence the lazy imports. */
export async function checkSource(source: SourceText, schemaFolder: string): Promise<RawConfig> {
  const [{ YamlDocument }, { compileSchemas, readSchemas }, { explainErrors }, { checkReferences }] = await Promise.all(
    [import('./document.js'), import('./validate.js'), import('./explain-errors.js'), import('./semantics.js')],
  );
  const document = YamlDocument.parse(source);
  if (!(document instanceof YamlDocument)) throwConfig(source.file, [...document].sort(byPosition));
  const value = document.toValue();
  if (value === null || value === undefined) {
    const help = 'start with `version: 1`; docs/pipeline-yaml.md has an example';
    throwConfig(source.file, [document.at(document.value([]), 'the file is empty', help)]);
  }
  // References are checked first, since the schema's check fills in defaults.
  const references = checkReferences(value, document);
  const errors = compileSchemas(await readSchemas(schemaFolder)).check(value);
  const diagnostics = [...explainErrors(errors, document), ...references].sort(byPosition);
  if (diagnostics.length > 0) throwConfig(source.file, diagnostics);
  return value as RawConfig;
}

async function memoryFile(source: SourceText, options: LoadOptions): Promise<string | undefined> {
  if (!options.remember) return undefined;
  const { readSchemaTexts } = await import('./schema-files.js');
  const hash = createHash('sha256');
  for (const part of [options.remember.build, source.text, ...(await readSchemaTexts(options.schemas)).values()]) {
    hash.update(`${part.length}:`).update(part);
  }
  return join(options.remember.folder, `${hash.digest('hex').slice(0, 32)}.json`);
}

async function recall(source: SourceText, options: LoadOptions): Promise<RawConfig | undefined> {
  try {
    const file = await memoryFile(source, options);
    return file === undefined ? undefined : (JSON.parse(await readFile(file, 'utf8')) as RawConfig);
  } catch {
    return undefined;
  }
}

async function memorize(source: SourceText, options: LoadOptions, raw: RawConfig): Promise<void> {
  try {
    const file = await memoryFile(source, options);
    if (file === undefined || !options.remember) return;
    await mkdir(options.remember.folder, { recursive: true });
    const temporary = `${file}.${process.pid}`;
    await writeFile(temporary, JSON.stringify(raw));
    await rename(temporary, file);
  } catch {
    // A read-only checkout or a full disk costs only speed here, and must not fail a run.
  }
}
