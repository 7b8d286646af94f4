// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { JaxArtifact } from '../artifacts.js';
import { channelArgs, channelOf } from '../lib/channels.js';
import { targetsOf } from '../lib/frameworks.js';
import { hashesOf, usedBuilds } from '../lib/local/builds.js';
import { packagesFor } from '../lib/local/install.js';
import { lockAndIree } from '../lib/locked-iree.js';
import { COMPILER_LIBRARY, makeUvEnvironment, pinned } from '../lib/uv-env.js';

export interface SetupJaxOptions {
  readonly channel?: string;
}

const FIND_COMPILER =
  'from importlib import metadata; ' +
  `print(metadata.distribution("iree-base-compiler").locate_file("${COMPILER_LIBRARY}"))`;

/** Installs jax, jaxlib and the IREE compiler for the lowest Python here into an environment of their own. */
export async function setupJax(context: StageContext<SetupJaxOptions>): Promise<JaxArtifact> {
  const { iree } = lockAndIree(context);
  const local = await usedBuilds(context);
  const [{ python: interpreter, framework }] = await targetsOf(context);
  const { jax, jaxlib } = framework;
  const wanted = pinned({ jax, jaxlib, [iree.compiler.package]: iree.compiler.version });
  const { requirements, ...rest } = await packagesFor(context, local, framework.python, wanted);
  const { python } = await makeUvEnvironment(context, {
    folder: context.outDir,
    python: interpreter.path,
    requirements: [...requirements, 'pytest', 'hypothesis'],
    ...rest,
    installArgs: channelArgs(channelOf(context), 'uv'),
  });
  const { stdout } = await context.exec(python, ['-c', FIND_COMPILER], { echo: false });
  const compilerLibrary = path.relative(context.outDir, stdout.trim());
  return { python: 'bin/python', compilerLibrary, ...(await hashesOf(local)) };
}
