// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { JaxArtifact } from '../artifacts.js';
import { channelArgs, channelOf } from '../lib/channels.js';
import { targetsOf } from '../lib/frameworks.js';
import { lockAndIree } from '../lib/locked-iree.js';
import { makeUvEnvironment, pinned } from '../lib/uv-env.js';

export interface SetupJaxOptions {
  readonly channel?: string;
}

const FIND_COMPILER =
  'import importlib.util, pathlib; ' +
  'root = pathlib.Path(importlib.util.find_spec("iree.compiler").submodule_search_locations[0]); ' +
  'print(root / "_mlir_libs" / "libIREECompiler.so")';

/** Installs the locked jax, jaxlib and IREE compiler for the lowest Python here into an environment of their own. */
export async function setupJax(context: StageContext<SetupJaxOptions>): Promise<JaxArtifact> {
  const { lock, iree } = lockAndIree(context);
  const [{ python: interpreter, framework }] = await targetsOf(context, lock);
  const { python } = await makeUvEnvironment(context, {
    folder: context.outDir,
    python: interpreter.path,
    requirements: [
      ...pinned({ jax: framework.jax, jaxlib: framework.jaxlib, [iree.compiler.package]: iree.compiler.version }),
      'pytest',
    ],
    installArgs: channelArgs(channelOf(context), 'uv'),
  });
  const { stdout } = await context.exec(python, ['-c', FIND_COMPILER], { echo: false });
  return { python: 'bin/python', compilerLibrary: path.relative(context.outDir, stdout.trim()) };
}
