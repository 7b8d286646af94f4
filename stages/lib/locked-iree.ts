// SPDX-License-Identifier: Apache-2.0
import type { InputContext, Variant } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { Lock, LockedIree, ResolveArtifact } from '../artifacts.js';

/** The IREE that a variant is built from and run with. */
export function ireeOf(lock: Pick<Lock, 'iree'>, { axes }: Variant): LockedIree {
  const line = axes['iree'];
  const found = line === undefined ? lock.iree[0] : lock.iree.find((entry) => entry.line === line);
  if (found) return found;
  const held = lock.iree.map((entry) => entry.line).join(', ');
  return fail({
    kind: 'lock',
    message: `pipeline.lock.yaml holds no IREE ${line ?? ''}, only ${held}`,
    help: 'let supports.iree (and constraints.iree, where it is set) hold it and run `npx pipeline resolve`, or choose another variant',
  });
}

/** The lock of a stage's run, and the IREE of its variant. */
export function lockAndIree(context: Pick<InputContext, 'variant' | 'artifact'>): { lock: Lock; iree: LockedIree } {
  const { lock } = context.artifact<ResolveArtifact>('resolve-versions').value;
  return { lock, iree: ireeOf(lock, context.variant) };
}
