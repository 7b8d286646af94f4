// SPDX-License-Identifier: Apache-2.0
import { compare, satisfies } from '@renovatebot/pep440';
import pLimit from 'p-limit';
import type { Framework, LockOrigin } from '../artifacts.js';
import { findDistribution, isDistribution, type Distribution } from '../lib/pip.js';
import { minorNumber } from '../lib/pythons.js';
import type { JaxlibRow } from '../lib/compat/rows.js';
import { noMatch, type Exclusion } from './exclusions.js';
import type { Resolver } from './resolver.js';

/** How many unknown releases are skipped before giving up. */
const MAX_SKIPPED = 12;

/** For each wished Python the newest known jaxlib that the constraint and this Python allow, with its jax; lowest Python first. */
export async function resolveFrameworks(resolver: Resolver): Promise<readonly Framework[]> {
  const { origin } = resolver;
  const pythons = [...origin.pythons].sort((a, b) => minorNumber(a) - minorNumber(b));
  const wished = pythons.filter((python) => satisfies(`${python}.0`, origin.python, { prereleases: true }));
  if (wished.length === 0) {
    const exclusions = pythons.map((python) => ({
      candidate: `Python ${python}`,
      by: `supports.python ${origin.python}`,
    }));
    return noMatch('Python', exclusions, 'widen supports.python or list another Python in the options of this stage');
  }
  const limit = pLimit(4);
  const found = await Promise.all(wished.map((python) => limit(() => frameworkFor(resolver, python))));
  const frameworks = found.filter((framework) => framework !== undefined);
  if (frameworks.length === 0) noFramework(resolver, wished);
  for (const python of wished.filter((wish) => !frameworks.some((framework) => framework.python === wish))) {
    resolver.warn(`no jaxlib ${origin.jaxlib} for Python ${python}: the lock leaves this Python out`);
  }
  return frameworks;
}

async function frameworkFor(resolver: Resolver, python: string): Promise<Framework | undefined> {
  const skipped: string[] = [];
  while (skipped.length <= MAX_SKIPPED) {
    const requirement = `jaxlib${[resolver.origin.jaxlib, ...skipped.map((version) => `!=${version}`)].join(',')}`;
    const found = await findDistribution(resolver.pip, requirement, python);
    if (!isDistribution(found)) {
      resolver.seen.set(python, found.versions);
      return undefined;
    }
    const row = rowOf(resolver.compat.jaxlib, found.version);
    const jax = row && (await jaxFor(resolver, found, python));
    if (row && jax !== undefined) return frameworkOf(python, jax, row);
    if (!row) resolver.unknownRelease('jaxlib', found.version, 'compat/jaxlib.yaml');
    skipped.push(found.version);
  }
  return undefined;
}

function rowOf(rows: readonly JaxlibRow[], version: string): JaxlibRow | undefined {
  return rows.find((row) => compare(row.version, version) === 0);
}

/** The newest jax that is not newer than its jaxlib and says that it accepts it. */
async function jaxFor(resolver: Resolver, jaxlib: Distribution, python: string): Promise<string | undefined> {
  const found = await findDistribution(resolver.pip, `jax<=${jaxlib.version}`, python);
  if (!isDistribution(found)) return undefined;
  const wish = found.requires
    .map((line) => /^jaxlib\s*\(?([^;)]*)\)?\s*(?:;|$)/.exec(line)?.[1])
    .find((range) => range !== undefined);
  const accepted = wish === undefined || satisfies(jaxlib.version, wish.replaceAll(' ', ''), { prereleases: true });
  if (!accepted) resolver.log(`jax ${found.version} wants jaxlib ${wish}, not ${jaxlib.version}`);
  return accepted ? found.version : undefined;
}

function frameworkOf(python: string, jax: string, row: JaxlibRow): Framework {
  const { version: jaxlib, pjrtApi, stablehlo, xlaCommit } = row;
  return { python, jax, jaxlib, pjrtApi, stablehlo, xlaCommit };
}

function noFramework(resolver: Resolver, pythons: readonly string[]): never {
  const { compat, origin } = resolver;
  const exclusions: Exclusion[] = [...compat.jaxlib]
    .sort((a, b) => compare(b.version, a.version))
    .map((row) => ({ candidate: `jaxlib ${row.version}`, by: reasonFor(row, origin, pythons) }));
  return noMatch(
    'jaxlib',
    exclusions,
    'widen supports.jaxlib in pipeline.yaml, or list a Python that these releases have',
  );
}

function reasonFor(row: JaxlibRow, origin: LockOrigin, pythons: readonly string[]): string {
  if (!satisfies(row.version, origin.jaxlib, { prereleases: true })) return `supports.jaxlib ${origin.jaxlib}`;
  if (!row.pythons.some((python) => pythons.includes(python))) {
    return `Python: it has wheels for ${row.pythons.join(', ')}; wished are ${pythons.join(', ')}`;
  }
  return 'the registry: no wheel for this kind of machine, or no jax that accepts it';
}
