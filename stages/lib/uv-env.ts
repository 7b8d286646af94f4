// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { ToolsArtifact } from '../artifacts.js';
import { clientFailure } from './client-failure.js';
import { uvEnvironment } from './uv-settings.js';

/** A virtual environment made with uv. */
export interface UvEnvironment {
  /** Absolute path of the interpreter. */
  readonly python: string;
}

export interface UvEnvironmentSpec {
  /** Folder to make; must not exist or be empty. */
  readonly folder: string;
  /** Interpreter: a path, or a version that uv can find. */
  readonly python: string;
  /** Requirements and wheel files. */
  readonly requirements: readonly string[];
  /** Further arguments of `uv pip install`, e.g. `--find-links`. */
  readonly installArgs?: readonly string[];
}

/** Makes an environment and installs into it. Relocatable, so that the engine may rename the folder it is in. */
export async function makeUvEnvironment(context: StageContext, spec: UvEnvironmentSpec): Promise<UvEnvironment> {
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const uv = path.join(tools.dir, tools.value.bin, 'uv');
  const env = await uvEnvironment(context, path.join(tools.dir, tools.value.python));
  const python = path.join(spec.folder, 'bin', 'python');
  const venv = ['venv', '--quiet', '--relocatable', '--allow-existing', '--python', spec.python, spec.folder];
  try {
    await context.exec(uv, venv, { env });
    const install = ['pip', 'install', '--python', python, ...(spec.installArgs ?? []), ...spec.requirements];
    await context.exec(uv, install, { env });
  } catch (error) {
    throw clientFailure(error, `an environment with ${spec.requirements.join(', ')}`);
  }
  return { python };
}

/** Exact requirements, `name==version`. */
export function pinned(packages: Readonly<Record<string, string>>): string[] {
  return Object.entries(packages).map(([name, version]) => `${name}==${version}`);
}
