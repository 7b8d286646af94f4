// SPDX-License-Identifier: Apache-2.0
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { Framework, ResolveArtifact } from '../artifacts.js';
import { usedBuilds } from './local/builds.js';
import { servesMinor } from './local/install.js';
import { findPythons, hostMachine, type PythonInterpreter } from './pythons.js';

/** A JAX with a Python on this machine that can install it. */
export interface Target {
  readonly python: PythonInterpreter;
  readonly framework: Framework;
}

/** The Pythons on this machine for which there is a JAX, lowest first; at least one. Others are named in the log. */
export async function targetsOf(context: StageContext): Promise<readonly [Target, ...Target[]]> {
  const [lowest, ...others] = await pythonTargets(context, hostMachine());
  if (lowest) return [lowest, ...others];
  return fail({
    kind: 'tool-missing',
    message: `no Python of ${(await frameworksOf(context)).map(({ python }) => python).join(', ')} was found`,
    help: 'install one, or name its path in PIPELINE_PYTHONS',
  });
}

/**
 * A JAX for each Python: of the lock, or of the developer's own builds, which serve the Pythons that they have wheels
 * for. jax is of jaxlib's version unless there is one of those too.
 */
export async function frameworksOf(context: StageContext): Promise<readonly Framework[]> {
  const { lock } = context.artifact<ResolveArtifact>('resolve-versions').value;
  const local = await usedBuilds(context);
  const jaxlib = local.jaxlib?.version;
  const jax = local.jax?.version ?? jaxlib;
  const own = { ...(jaxlib === undefined ? {} : { jaxlib }), ...(jax === undefined ? {} : { jax }) };
  return lock.frameworks
    .filter(({ python }) => servesMinor(context, local, python))
    .map((framework) => ({ ...framework, ...own }));
}

/** The same for the Pythons of any processor; may be none. */
export async function pythonTargets(context: StageContext, machine: string): Promise<readonly Target[]> {
  const found = await findPythons(context, machine);
  const targets: Target[] = [];
  for (const framework of await frameworksOf(context)) {
    const python = found.find(({ minor }) => minor === framework.python);
    if (python) targets.push({ python, framework });
    else context.log(`Python ${framework.python} was not found on this machine: not used`);
  }
  return targets;
}
