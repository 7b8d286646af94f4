// SPDX-License-Identifier: Apache-2.0
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { Framework, Lock } from '../artifacts.js';
import { findPythons, hostMachine, type PythonInterpreter } from './pythons.js';

/** A JAX of the lock with a Python on this machine that can install it. */
export interface Target {
  readonly python: PythonInterpreter;
  readonly framework: Framework;
}

/** The Pythons on this machine for which the lock has a JAX, lowest first; at least one. Others are named in the log. */
export async function targetsOf(context: StageContext, lock: Lock): Promise<readonly [Target, ...Target[]]> {
  const [lowest, ...others] = await pythonTargets(context, lock, hostMachine());
  if (lowest) return [lowest, ...others];
  return fail({
    kind: 'tool-missing',
    message: `no Python of ${lock.frameworks.map(({ python }) => python).join(', ')} was found`,
    help: 'install one, or name its path in PIPELINE_PYTHONS',
  });
}

/** The same for the Pythons of any processor; may be none. */
export async function pythonTargets(context: StageContext, lock: Lock, machine: string): Promise<readonly Target[]> {
  const found = await findPythons(context, machine);
  const targets: Target[] = [];
  for (const framework of lock.frameworks) {
    const python = found.find(({ minor }) => minor === framework.python);
    if (python) targets.push({ python, framework });
    else context.log(`Python ${framework.python} was not found on this machine: not used`);
  }
  return targets;
}
