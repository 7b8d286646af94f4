// SPDX-License-Identifier: Apache-2.0
import { compare } from '@renovatebot/pep440';
import type { InputContext } from '../../../engine/api.js';
import { fail } from '../../../engine/failure.js';
import type { ResolveArtifact } from '../../artifacts.js';
import { loadCompat, type IreeRow } from '../compat/rows.js';
import { sha256File } from '../hash.js';
import { compilerAt } from './compiler.js';
import { filesOf } from './files.js';
import { pathsOf, settingOf, type Part } from './settings.js';
import { isFolder, wheelsAt } from './wheels.js';
import type { LocalBuilds, LocalCompiler, LocalFramework, LocalPackage, OwnBuilds } from './types.js';

type Context = Pick<InputContext, 'root' | 'config' | 'settings'>;

// By file names, without a program started or a wheel opened: the plan asks too.

/** The developer's own builds; undefined without any. Fails (`usage`) for a path at which there is none. */
export async function localBuildsOf(context: Context): Promise<LocalBuilds | undefined> {
  const compiler = await localCompilerOf(context);
  const framework = await localFrameworkOf(context);
  return compiler || framework ? { ...(compiler ? { compiler } : {}), ...framework } : undefined;
}

async function localCompilerOf(context: Context): Promise<LocalCompiler | undefined> {
  const { compiler: place } = pathsOf(context);
  if (place === undefined) return undefined;
  const found = await compilerAt(place, settingOf('compiler'));
  return { ...found, stablehlo: stablehloOf(found.version, (await loadCompat(context.root)).iree) };
}

/** Of them what JAX is run of. */
export async function localFrameworkOf(context: Context): Promise<LocalFramework | undefined> {
  const paths = pathsOf(context);
  const jaxlib = paths.jaxlib === undefined ? undefined : await packageAt(paths.jaxlib, 'jaxlib');
  const jax = await jaxAt(paths);
  return jaxlib || jax ? { ...(jaxlib ? { jaxlib } : {}), ...(jax ? { jax } : {}) } : undefined;
}

/** The builds of a stage's run: the compiler that `resolve-versions` hands on, and what JAX is run of. */
export async function usedBuilds(context: Context & Pick<InputContext, 'artifact'>): Promise<LocalBuilds> {
  const { compiler } = context.artifact<ResolveArtifact>('resolve-versions').value;
  return { ...(compiler ? { compiler } : {}), ...(await localFrameworkOf(context)) };
}

/** For results, which say what they were made of; nothing without builds of the developer's own. */
export async function hashesOf(local: LocalBuilds): Promise<OwnBuilds> {
  const files = filesOf(local);
  if (files.length === 0) return {};
  const hashes = await Promise.all(files.map(async (file) => [file, await sha256File(file)] as const));
  return { local: Object.fromEntries(hashes) };
}

/** jax lies where it is said to be, else beside jaxlib, where JAX's build leaves both. */
async function jaxAt(paths: Partial<Record<Part, string>>): Promise<LocalPackage | undefined> {
  if (paths.jax !== undefined) return packageAt(paths.jax, 'jax');
  if (paths.jaxlib === undefined || !(await isFolder(paths.jaxlib, settingOf('jaxlib')))) return undefined;
  return wheelsAt(paths.jaxlib, 'jax', settingOf('jaxlib'));
}

async function packageAt(place: string, name: 'jaxlib' | 'jax'): Promise<LocalPackage> {
  const found = await wheelsAt(place, name, settingOf(name));
  if (found) return found;
  return fail({
    kind: 'usage',
    message: `${settingOf(name)}: ${place} holds no ${name}-*.whl`,
    help: `name a wheel of ${name}, or the folder that holds it, such as dist/ of a checkout of JAX (docs/at-head.md)`,
  });
}

/**
 * Of the newest release that is not newer than the compiler: a later one reads what that reads. `3.14.0.dev0` comes
 * before 3.14.0, which may have learnt more since.
 */
export function stablehloOf(compiler: string, rows: readonly IreeRow[]): string {
  const [newest] = rows
    .filter(({ version }) => compare(version, compiler) <= 0)
    .sort((a, b) => compare(b.version, a.version));
  if (newest) return newest.stablehlo;
  return fail({
    kind: 'resolution',
    message: `nothing is known of a compiler as old as ${compiler}`,
    detail: `compat/iree.yaml begins with ${rows[0]?.version ?? 'nothing'}`,
    help: 'build a newer IREE',
  });
}
