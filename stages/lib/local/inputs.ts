// SPDX-License-Identifier: Apache-2.0
/** What stages name among their inputs; loaded at every start, so it imports nothing big. */
import type { InputContext, JsonObject } from '../../../engine/api.js';
import { filesOf } from './files.js';
import { pathsOf } from './settings.js';
import type { LocalBuilds } from './types.js';

type Context = Pick<InputContext, 'root' | 'config' | 'settings'>;

interface LocalInputs {
  readonly files: readonly string[];
  readonly values: JsonObject;
}

/** For a stage that runs JAX. */
export async function frameworkInputs(context: Context): Promise<LocalInputs> {
  const { jaxlib, jax } = pathsOf(context);
  return jaxlib === undefined && jax === undefined
    ? NOTHING
    : inputsOf(await (await import('./builds.js')).localFrameworkOf(context));
}

/** For a stage that asks for the compiler too. */
export async function localInputs(context: Context): Promise<LocalInputs> {
  if (Object.keys(pathsOf(context)).length === 0) return NOTHING;
  return inputsOf(await (await import('./builds.js')).localBuildsOf(context));
}

/** Without builds of a developer's own a key is what it would be if there were no such thing. */
const NOTHING: LocalInputs = { files: [], values: {} };

function inputsOf(local: LocalBuilds | undefined): LocalInputs {
  const files = filesOf(local);
  return { files, values: { local: files } };
}
