// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { InputContext, StageContext } from '../../engine/api.js';
import { PipelineFailure } from '../../engine/failure.js';

/** An interpreter that starts, with what it can do. */
export interface PythonInterpreter {
  /** As it is called: `python3.12`, or the path that a variable names. */
  readonly path: string;
  /** Full version. */
  readonly version: string;
  readonly minor: string;
  /** The processor that it is for, as `platform.machine()` says: `x86_64`, `aarch64`. */
  readonly machine: string;
  readonly venv: boolean;
  readonly ensurepip: boolean;
  readonly pip: boolean;
}

/** Environment variables that name interpreters: one, or several joined by `:`. */
export const PYTHON_ENV = ['PIPELINE_PYTHON', 'PIPELINE_PYTHONS'] as const;

const NAMES = ['python3', 'python3.11', 'python3.12', 'python3.13', 'python3.14'];

const PROBE = `
import importlib.util as u, json, platform
print(json.dumps({"version": platform.python_version(), "machine": platform.machine(),
  **{name: u.find_spec(name) is not None for name in ("venv", "ensurepip", "pip")}}))`;

/** Where Pythons may be: those that the user names first, then the usual names on PATH. No program is started. */
export async function pythonCandidates(env: InputContext['env']): Promise<readonly string[]> {
  const named = PYTHON_ENV.flatMap((name) => (env[name] ?? '').split(path.delimiter)).filter((name) => name !== '');
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const onPath = await Promise.all(NAMES.map((name) => firstExecutable(folders, name)));
  return [...new Set([...named, ...onPath.filter((file) => file !== undefined)])];
}

/** The processor of this machine, as Python and wheel tags call it. */
export function hostMachine(): string {
  return { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string] ?? process.arch;
}

/** The processor that a variant is for. */
export function machineOf({ variant }: Pick<InputContext, 'variant'>): string {
  return variant.axes['arch'] ?? hostMachine();
}

/**
 * The Pythons for a processor that start, one per minor version (the first that was found), lowest first. Those for
 * another processor than this machine's start where the system runs such programs (qemu-user with binfmt_misc).
 */
export async function findPythons(
  context: Pick<StageContext, 'env' | 'exec'>,
  machine = hostMachine(),
): Promise<readonly PythonInterpreter[]> {
  const byMinor = new Map<string, PythonInterpreter>();
  for (const candidate of await pythonCandidates(context.env)) {
    const found = await probePython(context, candidate);
    if (found?.machine === machine && !byMinor.has(found.minor)) byMinor.set(found.minor, found);
  }
  return [...byMinor.values()].sort((a, b) => minorNumber(a.minor) - minorNumber(b.minor));
}

/** Undefined if the program does not start or is no Python 3 (a version manager's stub, for example). */
export async function probePython(
  context: Pick<StageContext, 'exec'>,
  program: string,
): Promise<PythonInterpreter | undefined> {
  try {
    const { stdout } = await context.exec(program, ['-c', PROBE], { echo: false, timeoutMs: 30_000 });
    const probe = JSON.parse(stdout) as Omit<PythonInterpreter, 'path' | 'minor'>;
    const minor = /^3\.\d+/.exec(probe.version)?.[0];
    return minor === undefined ? undefined : { path: program, minor, ...probe };
  } catch (error) {
    if (error instanceof PipelineFailure && error.failure.kind === 'cancelled') throw error;
    return undefined;
  }
}

/** What a node's key can say about the interpreters without starting them: path, size and time of each. */
export async function pythonFingerprint(context: Pick<InputContext, 'env'>): Promise<readonly string[]> {
  const candidates = await pythonCandidates(context.env);
  return Promise.all(
    candidates.map(async (file) => {
      try {
        const real = await realpath(file);
        const { size, mtimeMs } = await stat(real);
        return `${file} ${real} ${size} ${Math.trunc(mtimeMs)}`;
      } catch {
        return `${file} (not there)`;
      }
    }),
  );
}

/** Orders `3.9` before `3.11`. */
export function minorNumber(minor: string): number {
  return Number(minor.split('.')[1] ?? 0);
}

async function firstExecutable(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const file = path.join(folder, name);
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // This folder does not have it.
    }
  }
  return undefined;
}
