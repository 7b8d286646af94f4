// SPDX-License-Identifier: Apache-2.0
import { compare, satisfies } from '@renovatebot/pep440';
import { fail } from '../../engine/failure.js';
import type { Framework, LockedIree, LockOrigin } from '../artifacts.js';
import { fetchCrate } from '../lib/crate.js';
import { treeSha256 } from '../lib/hash.js';
import { ireeFiles, ireeVersion } from '../lib/iree-tree.js';
import { findDistribution, isDistribution } from '../lib/pip.js';
import type { IreeRow, JaxlibRow } from '../lib/compat/rows.js';
import { releaseOf } from '../lib/release-of.js';
import { noMatch, type Exclusion } from './exclusions.js';
import type { Resolver } from './resolver.js';

type Runtime = NonNullable<IreeRow['runtime']>;

/**
 * For each line of the axis `iree` (without it: over all) the newest release of which runtime and compiler both can be
 * had, for every Python of the frameworks. A line that the constraint excludes is left out while another is there.
 */
export async function resolveIree(
  resolver: Resolver,
  frameworks: readonly Framework[],
): Promise<readonly LockedIree[]> {
  const { origin } = resolver;
  const rows = [...resolver.compat.iree].sort((a, b) => compare(b.version, a.version));
  await warnOfNewer(resolver, rows, frameworks);
  const allowed = origin.ireeLines.filter((line) =>
    rows.some((row) => releaseOf(row.version) === line && isAllowed(row, origin)),
  );
  for (const line of origin.ireeLines.filter((candidate) => allowed.length > 0 && !allowed.includes(candidate))) {
    resolver.warn(`no release of IREE ${line} is in ${origin.iree}: the lock leaves it out`);
  }
  if (allowed.length === 0) return [await newestOf(resolver, rows, frameworks)];
  return Promise.all(
    allowed.map((line) =>
      newestOf(
        resolver,
        rows.filter((row) => releaseOf(row.version) === line),
        frameworks,
      ),
    ),
  );
}

function isAllowed({ version }: IreeRow, { iree }: LockOrigin): boolean {
  return satisfies(version, iree, { prereleases: true });
}

async function newestOf(
  resolver: Resolver,
  rows: readonly IreeRow[],
  frameworks: readonly Framework[],
): Promise<LockedIree> {
  const { origin } = resolver;
  const exclusions: Exclusion[] = [];
  for (const row of rows) {
    const candidate = `IREE ${row.version}`;
    const by =
      (isAllowed(row, origin) ? undefined : `range of IREE ${origin.iree}`) ??
      tooOld(row, frameworks, resolver.compat.jaxlib) ??
      (row.runtime ? undefined : 'runtime sources: no crate holds this release') ??
      (await missingCompiler(resolver, row, frameworks));
    if (by === undefined && row.runtime) return lockIree(resolver, row, row.runtime);
    exclusions.push({ candidate, by: by ?? '' });
  }
  return noMatch(
    'IREE release',
    exclusions,
    'widen supports.iree (or constraints.iree, where it is set); the runtime and the compiler must be of one release',
  );
}

/** A framework writes no StableHLO older than its own minimum: why a compiler cannot read it, else undefined. */
export function tooOld(
  row: Pick<IreeRow, 'stablehlo'>,
  frameworks: readonly Framework[],
  jaxlibs: readonly JaxlibRow[],
): string | undefined {
  for (const { jaxlib } of frameworks) {
    const minimum = jaxlibs.find(({ version }) => version === jaxlib)?.stablehloMinimum;
    if (minimum !== undefined && compare(row.stablehlo, minimum) < 0) {
      return `jaxlib ${jaxlib}: writes StableHLO ${minimum} at the oldest, this compiler reads ${row.stablehlo}`;
    }
  }
  return undefined;
}

async function missingCompiler(
  resolver: Resolver,
  row: IreeRow,
  frameworks: readonly Framework[],
): Promise<string | undefined> {
  const requirement = `${row.compiler.package}==${row.compiler.version}`;
  const found = await Promise.all(
    frameworks.map(async ({ python }) => ({ python, hit: await findDistribution(resolver.pip, requirement, python) })),
  );
  const without = found.filter(({ hit }) => !isDistribution(hit)).map(({ python }) => python);
  return without.length === 0 ? undefined : `compiler: no ${requirement} for Python ${without.join(', ')}`;
}

async function warnOfNewer(
  resolver: Resolver,
  rows: readonly IreeRow[],
  frameworks: readonly Framework[],
): Promise<void> {
  const [newest] = rows;
  const [framework] = frameworks;
  if (!newest || !framework) return;
  const found = await findDistribution(
    resolver.pip,
    `${newest.compiler.package}${resolver.origin.iree}`,
    framework.python,
  );
  if (isDistribution(found) && !rows.some(({ compiler }) => compare(compiler.version, found.version) === 0)) {
    resolver.unknownRelease(newest.compiler.package, found.version, 'compat/iree.yaml');
  }
}

async function lockIree(resolver: Resolver, row: IreeRow, runtime: Runtime): Promise<LockedIree> {
  const crate = await fetchCrate(resolver.context, runtime.crate, `=${runtime.crateVersion}`);
  const tree = `${crate.folder}/iree`;
  const version = await ireeVersion(tree);
  if (version !== row.version) {
    fail({
      kind: 'integrity',
      message: `the crate ${runtime.crate} ${runtime.crateVersion} does not hold the IREE that compat/iree.yaml says`,
      file: 'runtime/version.json',
      wanted: row.version,
      found: version ?? 'no version',
      help: `measure it anew: npx pipeline compat measure iree ${row.version}`,
    });
  }
  return {
    line: releaseOf(row.version),
    runtime: {
      version: row.version,
      ...runtime,
      sha256: crate.checksum,
      treeSha256: await treeSha256(tree, ireeFiles(tree)),
    },
    compiler: { ...row.compiler, stablehlo: row.stablehlo },
  };
}
