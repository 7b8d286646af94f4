// SPDX-License-Identifier: Apache-2.0
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
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
  /** libIREECompiler.so of the developer's own: linked to where the package of the compiler has its library. */
  readonly compilerLibrary?: string;
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
  if (spec.compilerLibrary !== undefined) await linkCompiler(spec.folder, spec.compilerLibrary);
  return { python };
}

/** Place of the library in site-packages, where iree-base-compiler has it. */
export const COMPILER_LIBRARY = path.join('iree', 'compiler', '_mlir_libs', 'libIREECompiler.so');

/** A link, not a copy: a build made with debug information has gigabytes, and its next one is used as it comes. */
async function linkCompiler(environment: string, library: string): Promise<void> {
  const lib = path.join(environment, 'lib');
  const [python = ''] = (await readdir(lib)).filter((name) => name.startsWith('python'));
  const place = path.join(lib, python, 'site-packages', COMPILER_LIBRARY);
  await mkdir(path.dirname(place), { recursive: true });
  await rm(place, { force: true });
  await symlink(library, place);
}

/** Exact requirements by distribution, `name==version`. */
export function pinned(packages: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(packages).map(([name, version]) => [name, `${name}==${version}`]));
}
