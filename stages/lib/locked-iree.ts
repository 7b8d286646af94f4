// SPDX-License-Identifier: Apache-2.0
import type { InputContext, Variant } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { Lock, LockedIree, ResolveArtifact } from '../artifacts.js';
import type { LocalCompiler } from './local/types.js';

/** The IREE that the lock has for a variant. */
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

/** What decides which IREE it is. */
interface Resolved {
  readonly lock: Pick<Lock, 'iree'>;
  readonly compiler?: LocalCompiler | undefined;
}

/** The IREE that a variant is built of and run with: its compiler may be one of the developer's own. */
export function resolvedIree({ lock, compiler }: Resolved, variant: Variant): LockedIree {
  const locked = ireeOf(lock, variant);
  if (compiler === undefined) return locked;
  const { package: name, version, stablehlo } = compiler;
  return { ...locked, compiler: { package: name, version, stablehlo } };
}

/** The lock of a stage's run, the IREE of its variant, and the compiler that is not from the lock. */
export function lockAndIree(context: Pick<InputContext, 'variant' | 'artifact'>): {
  readonly lock: Lock;
  readonly iree: LockedIree;
  readonly own: LocalCompiler | undefined;
} {
  const resolved = context.artifact<ResolveArtifact>('resolve-versions').value;
  return { lock: resolved.lock, iree: resolvedIree(resolved, context.variant), own: resolved.compiler };
}
