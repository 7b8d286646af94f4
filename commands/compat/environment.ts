// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { valid } from '@renovatebot/pep440';
import { PipelineFailure, fail } from '../../engine/failure.js';
import { askPython } from '../ask-python.js';
import type { MatrixRow } from '../../stages/lib/compat/matrix.js';
import type { CommandContext } from '../context.js';
import type { Found, Installed, Plugin } from './verdict.js';

const TIMEOUT_MS = 60_000;

/** A user's Python with what is installed in it. */
export interface Environment {
  readonly executable: string;
  readonly installed: Installed;
  readonly plugins: readonly FoundPlugin[];
  /** What a command line that installs into it begins with. */
  readonly installer: string;
}

/** A plugin with the rows that came in its wheel, or why it is broken. */
export type FoundPlugin =
  { readonly plugin: Plugin; readonly rows: readonly MatrixRow[] } | { readonly name: string; readonly error: string };

/** As probe.py prints it. */
interface Probe {
  readonly executable: string;
  readonly python: string;
  readonly pip: boolean;
  readonly packages: Readonly<Record<string, { readonly version: string } | { readonly error: string }>>;
  readonly plugins: readonly ProbedPlugin[];
}

interface ProbedPlugin {
  readonly name: string;
  readonly version?: string;
  readonly requires_python?: string;
  readonly error?: string;
  readonly build?: Partial<BuildInfo>;
}

/** The fields of the wheel's _build_info.py that are read here. */
interface BuildInfo {
  readonly DEVICE: string;
  readonly FLAVOUR: string;
  readonly IREE_RUNTIME: string;
  readonly SUPPORTED_JAXLIB: string;
  readonly SUPPORTED_IREE_COMPILER: string;
  readonly MEASURED: readonly (readonly [string, string, string, readonly string[], MatrixRow['result']])[];
}

/** Asks the Python of `--python`, else of the virtual environment that is active, else `python3`. */
export async function readEnvironment(
  context: CommandContext,
  wished: string | undefined,
  plugins: readonly string[],
): Promise<Environment> {
  const { python, pip } = chooseInterpreter(context, wished);
  const probe = await ask(context, python, plugins);
  const found = (name: string): Found => checked(probe.packages[name]);
  const library = context.env['IREE_PJRT_COMPILER_LIB_PATH'];
  return {
    executable: probe.executable,
    installed: {
      python: probe.python,
      jax: found('jax'),
      jaxlib: found('jaxlib'),
      compiler: found('iree-base-compiler'),
      compilerLibrary: library === '' ? undefined : library,
    },
    plugins: probe.plugins.map(pluginOf),
    installer: probe.pip ? pip : `uv pip install --python ${probe.executable}`,
  };
}

function chooseInterpreter(
  context: CommandContext,
  wished: string | undefined,
): { readonly python: string; readonly pip: string } {
  if (wished !== undefined) {
    const python = wished.includes('/') ? resolve(context.cwd, wished) : wished;
    return { python, pip: `${python} -m pip install` };
  }
  const active = context.env['VIRTUAL_ENV'];
  if (active === undefined || active === '') return { python: 'python3', pip: 'python3 -m pip install' };
  const python = join(active, 'bin', 'python');
  if (!existsSync(python)) {
    fail({
      kind: 'tool-missing',
      message: `VIRTUAL_ENV names ${active}, where there is no Python`,
      help: 'enter an environment that is there, or name its Python: npx pipeline compat check --python PATH',
    });
  }
  return { python, pip: 'pip install' };
}

async function ask(context: CommandContext, python: string, plugins: readonly string[]): Promise<Probe> {
  try {
    const script = join('compat', 'probe.py');
    return await askPython<Probe>(context, { python, script, args: plugins, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (error instanceof PipelineFailure && ['cancelled', 'timeout'].includes(error.failure.kind)) throw error;
    const detail =
      error instanceof PipelineFailure && error.failure.kind === 'command' ? error.failure.tail.at(-1) : '';
    return fail({
      kind: 'tool-missing',
      message: `${python} is no Python that starts${detail === undefined || detail === '' ? '' : `: ${detail}`}`,
      help: 'enter the virtual environment, or name its Python: npx pipeline compat check --python PATH',
    });
  }
}

function checked(found: Found): Found {
  if (found === undefined || 'error' in found || valid(found.version) !== null) return found;
  return { error: `its metadata say version '${found.version}', which is none` };
}

function pluginOf({ name, version, error, requires_python: python, build }: ProbedPlugin): FoundPlugin {
  if (error !== undefined) return { name, error };
  const { DEVICE, FLAVOUR, IREE_RUNTIME, SUPPORTED_JAXLIB, SUPPORTED_IREE_COMPILER, MEASURED } = build ?? {};
  if (
    version === undefined ||
    DEVICE === undefined ||
    FLAVOUR === undefined ||
    IREE_RUNTIME === undefined ||
    SUPPORTED_JAXLIB === undefined ||
    SUPPORTED_IREE_COMPILER === undefined
  ) {
    return { name, error: 'it does not say which IREE is in it' };
  }
  return {
    plugin: {
      name,
      version,
      device: DEVICE,
      flavour: FLAVOUR,
      runtime: IREE_RUNTIME,
      supports: { python: python ?? '', jaxlib: SUPPORTED_JAXLIB, compiler: SUPPORTED_IREE_COMPILER },
    },
    rows: (MEASURED ?? []).map(([jaxlib, jax, compiler, pythons, result]) => {
      return { device: DEVICE, runtime: IREE_RUNTIME, jaxlib, jax, compiler, pythons, result };
    }),
  };
}
