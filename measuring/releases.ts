// SPDX-License-Identifier: Apache-2.0
/** Releases that the registry has and compat/ does not know. */
import { compare } from '@renovatebot/pep440';
import pLimit from 'p-limit';
import type { Compat } from '../stages/lib/compat/rows.js';
import { findDistribution, isDistribution, type PipClient } from '../stages/lib/pip.js';
import { releaseOf } from '../stages/lib/release-of.js';
import { COMPILER } from './iree.js';

export interface Release {
  readonly kind: 'jaxlib' | 'iree';
  readonly version: string;
}

/** The releases for any of `pythons`, oldest first. */
export async function newReleases(pip: PipClient, compat: Compat, pythons: readonly string[]): Promise<Release[]> {
  const [jaxlib, iree] = await Promise.all([versionsOf(pip, 'jaxlib', pythons), versionsOf(pip, COMPILER, pythons)]);
  return [
    ...newerThan(compat.jaxlib, jaxlib).map((version) => ({ kind: 'jaxlib' as const, version })),
    ...newerThan(compat.iree, iree).map((version) => ({ kind: 'iree' as const, version })),
  ];
}

async function versionsOf(pip: PipClient, name: string, pythons: readonly string[]): Promise<string[]> {
  const limit = pLimit(4);
  const found = await Promise.all(
    // No version is below 0: pip refuses, and names the versions that there are.
    pythons.map((python) => limit(() => findDistribution(pip, `${name}<0`, python))),
  );
  return [...new Set(found.flatMap((answer) => (isDistribution(answer) ? [] : answer.versions)))];
}

/**
 * The versions that came after the known ones: newer than each row of their own release (0.10), or than all rows if it
 * has none. An older version without a row was passed over when the rows were made.
 */
export function newerThan(rows: readonly { readonly version: string }[], versions: readonly string[]): string[] {
  const isNew = (version: string): boolean => {
    const siblings = rows.filter((row) => releaseOf(row.version) === releaseOf(version));
    return (siblings.length > 0 ? siblings : rows).every((row) => compare(version, row.version) > 0);
  };
  return versions.filter(isNew).sort(compare);
}
