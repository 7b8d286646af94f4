// SPDX-License-Identifier: Apache-2.0
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { PipelineFailure } from '../../engine/failure.js';
import type { ToolsArtifact } from '../artifacts.js';
import { channelArgs, channelOf } from '../lib/channels.js';
import { outputOf } from '../lib/client-failure.js';
import { packagesFor, type Packages } from '../lib/local/install.js';
import { makeUvEnvironment, type UvEnvironment } from '../lib/uv-env.js';
import type { Cell, CellOptions, WheelFile } from './cell.js';
import { lineOf, NO_TESTS, tailOf, type Verdict } from './verdict.js';

export type CellEnvironment = UvEnvironment;

type Context = StageContext<CellOptions>;

/** The cell's versions and, for jax, the newest that is not newer than its jaxlib; its builds of the developer's own. */
export function packagesOf(
  context: Context,
  { jaxlib, python, compiler, compilerPackage, builds }: Cell,
): Promise<Packages> {
  return packagesFor(context, builds, python, {
    jaxlib: `jaxlib==${jaxlib}`,
    jax: `jax<=${jaxlib}`,
    [compilerPackage]: `${compilerPackage}==${compiler}`,
  });
}

/**
 * Installs the wheel as a user would. Outside its claim the wheel is installed in spite of its requirements, and its
 * own check is told to let the versions pass: this shows whether the claim is too narrow.
 */
export async function cellEnvironment(
  context: Context,
  cell: Cell,
  wheel: WheelFile,
  python: string,
): Promise<CellEnvironment | { readonly refused: Verdict }> {
  context.progress(`install jaxlib ${cell.jaxlib} on Python ${cell.python}`);
  try {
    if (cell.claimed) return await installed(context, cell, python, [wheel.path]);
    const environment = await forced(context, cell, wheel, python);
    await liftClaim(context, environment, wheel);
    return environment;
  } catch (error) {
    if (!(error instanceof PipelineFailure) || error.failure.kind !== 'command') throw error;
    const output = outputOf(error);
    return {
      refused: {
        ...NO_TESTS,
        result: 'refused',
        kind: 'install',
        reason: lineOf(context, output),
        logTail: tailOf(context, output),
      },
    };
  }
}

/** The wheel beside versions that it does not want, as with `pip install --no-deps`. */
export async function forced(context: Context, cell: Cell, wheel: WheelFile, python: string): Promise<CellEnvironment> {
  const environment = await installed(context, cell, python, ['packaging']);
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const uv = path.join(tools.dir, tools.value.bin, 'uv');
  await context.exec(uv, ['pip', 'install', '--python', environment.python, '--no-deps', '--offline', wheel.path]);
  return environment;
}

async function installed(
  context: Context,
  cell: Cell,
  python: string,
  more: readonly string[],
): Promise<CellEnvironment> {
  const packages = await packagesOf(context, cell);
  return makeUvEnvironment(context, {
    ...packages,
    folder: path.join(context.tempDir, 'env'),
    python,
    requirements: [...more, ...packages.requirements, 'pytest'],
    installArgs: channelArgs(channelOf(context), 'uv'),
  });
}

const CLAIM = /^(SUPPORTED_\w+): Final = .*$/gm;

async function liftClaim(context: Context, { python }: CellEnvironment, { platform }: WheelFile): Promise<void> {
  const find = `import importlib.util as u; print(u.find_spec("jax_plugins.${platform}._build_info").origin)`;
  const { stdout } = await context.exec(python, ['-c', find], { cwd: context.tempDir, echo: false });
  const file = stdout.trim();
  const text = await readFile(file, 'utf8');
  const lifted = text.replaceAll(CLAIM, '$1: Final = ">=0"');
  if (lifted === text) throw new Error(`${path.basename(file)} of the wheel states no claim`);
  // uv links the files of its cache: an edit in place would lift the claim in every later environment, too.
  await rm(file);
  await writeFile(file, lifted);
}
