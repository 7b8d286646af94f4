// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StageContext } from '../../engine/api.js';

/** What schemas/stages/_null.schema.json allows below `with`, defaults filled in. */
export interface NullOptions {
  readonly greeting: string;
}

/** What later stages get; belongs into stages/artifacts.ts once one of them reads it. */
export interface NullArtifact {
  /** Path of the written file inside the artifact. */
  readonly file: string;
}

export async function runNull(context: StageContext<NullOptions>): Promise<NullArtifact> {
  const file = 'greeting.txt';
  context.progress(`writing ${file}`);
  await writeFile(join(context.outDir, file), `${context.options.greeting}\n`);
  return { file };
}
