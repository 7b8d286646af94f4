// SPDX-License-Identifier: Apache-2.0
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const ROOT_SCHEMA = 'pipeline.schema.json';

/** Text of `pipeline.schema.json` and `stages/*.schema.json` by path below `folder`, in a fixed order. */
export async function readSchemaTexts(folder: string): Promise<ReadonlyMap<string, string>> {
  const stages = (await readdir(join(folder, 'stages'))).filter((name) => name.endsWith('.schema.json')).sort();
  const files = [ROOT_SCHEMA, ...stages.map((name) => `stages/${name}`)];
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return new Map(files.map((file, index) => [file, texts[index] ?? '']));
}
