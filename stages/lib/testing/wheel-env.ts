// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageContext } from '../../../engine/api.js';
import { bytecodeIn } from '../bytecode.js';
import { channelArgs, channelOf } from '../channels.js';
import type { Target } from '../frameworks.js';
import { usedBuilds } from '../local/builds.js';
import { packagesFor } from '../local/install.js';
import { lockAndIree } from '../locked-iree.js';
import { makeUvEnvironment, pinned, type UvEnvironment } from '../uv-env.js';

export interface WheelEnvironmentSpec {
  /** Folder to make. */
  readonly folder: string;
  /** Absolute path of the wheel. */
  readonly wheel: string;
  readonly target: Target;
  /** What else to install: pytest and the like. */
  readonly requirements: readonly string[];
}

/** Installs a wheel file as a user would, with the JAX of the target and the variant's IREE compiler. */
export async function installWheel(
  context: StageContext<{ readonly channel?: string }>,
  { folder, wheel, target: { python, framework }, requirements }: WheelEnvironmentSpec,
): Promise<UvEnvironment> {
  const { iree } = lockAndIree(context);
  const { jax, jaxlib } = framework;
  const wanted = pinned({ jax, jaxlib, [iree.compiler.package]: iree.compiler.version });
  const packages = await packagesFor(context, await usedBuilds(context), framework.python, wanted);
  return makeUvEnvironment(context, {
    ...packages,
    folder,
    python: python.path,
    requirements: [wheel, ...packages.requirements, ...requirements],
    installArgs: channelArgs(channelOf(context), 'uv'),
  });
}

/** What a suite may not inherit: it must see the wheel as a user's fresh shell would. */
const SCRUBBED = ['PYTHONPATH', 'PYTHONHOME', 'PJRT_NAMES_AND_LIBRARY_PATHS', 'XLA_FLAGS', 'LD_PRELOAD'];

/** Environment of a fresh shell; the user's cache of compiled programs must neither help nor be filled. */
export function freshShell(cache: string): Record<string, string | undefined> {
  const inherited = Object.keys(process.env).filter((name) => /^(JAX|IREE|PYTEST)_/.test(name));
  return {
    ...Object.fromEntries([...SCRUBBED, ...inherited].map((name) => [name, undefined])),
    XDG_CACHE_HOME: cache,
    ...bytecodeIn(path.join(cache, 'pycache')),
  };
}
