// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { createColors } from 'picocolors';
import { loadConfig } from '../engine/config/load.js';
import type { ResolvedConfig } from '../engine/config/types.js';
import type { StageLoader } from '../engine/plan/plan.js';

export type Colors = ReturnType<typeof createColors>;

/** Everything that a command takes from its surroundings; tests give their own. */
export interface CommandContext {
  /** Folder of this program: schemas/, stages/. */
  readonly home: string;
  /** Where the user is; paths are shown relative to it. */
  readonly cwd: string;
  /** Where to work: the same, or the folder that -C names. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly colors: Colors;
  readonly loadStage: StageLoader;
  readonly stageNames: readonly string[];
  /** Identity of the program, for what is remembered from one start to the next; undefined: remember nothing. */
  readonly build: string | undefined;
}

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export const CONFIG_FILE = 'pipeline.yaml';

/** Root of the checkout: the folder, from here upwards, that holds pipeline.yaml. */
export function findRoot(start: string): string {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (existsSync(join(folder, CONFIG_FILE))) return folder;
    if (folder === dirname(folder)) return resolve(start);
  }
}

export interface Project {
  readonly root: string;
  readonly stateDir: string;
  readonly config: ResolvedConfig;
}

export async function openProject(context: CommandContext): Promise<Project> {
  const root = findRoot(context.folder);
  const stateDir = join(root, '.pipeline');
  const path = join(root, CONFIG_FILE);
  const config = await loadConfig({
    path,
    file: relative(context.cwd, path) || CONFIG_FILE,
    schemas: join(context.home, 'schemas'),
    ...(context.build === undefined ? {} : { remember: { folder: join(stateDir, 'config'), build: context.build } }),
  });
  return { root, stateDir, config };
}

export function print(context: CommandContext, lines: string | readonly string[]): void {
  for (const line of [lines].flat()) context.stdout.write(`${line}\n`);
}

export function printJson(context: CommandContext, value: unknown): void {
  print(context, JSON.stringify(value, null, 2));
}
