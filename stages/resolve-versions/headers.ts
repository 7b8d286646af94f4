// SPDX-License-Identifier: Apache-2.0
import { fail } from '../../engine/failure.js';
import type { Framework, Lock, LockedFile, LockedHeaders } from '../artifacts.js';
import { clientEnv } from '../lib/client-env.js';
import { sha256, sha256File } from '../lib/hash.js';
import { downloadWheel, findDistribution, isDistribution, type Distribution, type PipClient } from '../lib/pip.js';
import { readWheelMembers, type Members } from '../lib/wheel.js';
import { minorOf, safeMinor, type HeaderFile, type HeaderRow, type HeaderSource } from '../lib/compat/rows.js';
import { noMatch, type Exclusion } from './exclusions.js';
import type { Resolver } from './resolver.js';

export const API_HEADER = 'pjrt_c_api.h';

/**
 * The header to build with: the newest that is neither newer than the primary framework's own API nor
 * than what is safe to say to any framework that the wheel serves.
 */
export function chooseHeader(
  headers: HeaderFile,
  primary: Framework,
  frameworks: readonly Framework[],
): { readonly row?: HeaderRow; readonly exclusions: readonly Exclusion[] } {
  const rows = [...headers.rows].sort((a, b) => minorOf(b.pjrtApi) - minorOf(a.pjrtApi));
  const exclusions: Exclusion[] = [];
  for (const row of rows) {
    const by = excludedBy(headers, row, primary, frameworks);
    if (by === undefined) return { row, exclusions };
    exclusions.push({ candidate: `${row.package} ${row.version} (${row.pjrtApi})`, by });
  }
  return { exclusions };
}

function excludedBy(
  headers: HeaderFile,
  row: HeaderRow,
  primary: Framework,
  frameworks: readonly Framework[],
): string | undefined {
  const minor = minorOf(row.pjrtApi);
  if (minor > minorOf(primary.pjrtApi)) return `jaxlib ${primary.jaxlib}: its own API is ${primary.pjrtApi}`;
  for (const { jaxlib, pjrtApi } of frameworks) {
    const safe = safeMinor(headers.traps, pjrtApi);
    if (minor > safe) return `jaxlib ${jaxlib}: safe is 0.${safe} (traps in compat/pjrt-headers.yaml)`;
  }
  return undefined;
}

/** Chooses the header and takes the hashes of its files. */
export async function resolveHeaders(
  resolver: Resolver,
  primary: Framework,
  frameworks: readonly Framework[],
): Promise<Lock['pjrtHeaders']> {
  const { headers } = resolver.compat;
  const { row, exclusions } = chooseHeader(headers, primary, frameworks);
  if (!row)
    return noMatch('PJRT header', exclusions, 'narrow supports.jaxlib, or add a header to compat/pjrt-headers.yaml');
  const { includeRoot, members: wanted } = headers;
  const { members, ...locked } = await lockHeaders(resolver, { ...row, includeRoot, members: wanted });
  const found = apiOf(members);
  if (found !== row.pjrtApi) {
    fail({
      kind: 'integrity',
      message: `${locked.wheel} does not hold the PJRT header that compat/pjrt-headers.yaml says`,
      file: API_HEADER,
      wanted: row.pjrtApi,
      found: found ?? 'no version',
      help: `measure it anew: npx pipeline compat measure pjrt-headers ${row.version}`,
    });
  }
  const { files, ...wheel } = locked;
  return { ...wheel, pjrtApi: row.pjrtApi, files };
}

/** All of the members have to be there: a build that misses one fails with less to say. */
export async function resolveCudaHeaders(resolver: Resolver): Promise<LockedHeaders> {
  const source = resolver.compat.cudaHeaders;
  const { members, ...locked } = await lockHeaders(resolver, source);
  const missing = source.members.filter((name) => !members.has(name));
  if (missing.length > 0) {
    fail({
      kind: 'integrity',
      message: `${locked.wheel} does not hold the CUDA header that compat/cuda-headers.yaml says`,
      file: locked.wheel,
      wanted: missing.join(', '),
      found: 'no such file',
    });
  }
  return locked;
}

/** Reads the members of a wheel and takes their hashes. */
async function lockHeaders(
  { pip, origin }: Resolver,
  source: HeaderSource,
): Promise<LockedHeaders & { readonly members: Members }> {
  const { distribution, python } = await wheelOf(pip, source, origin.pythons);
  const members = await readHeaders(pip, source, distribution, python);
  return {
    package: source.package,
    version: source.version,
    wheel: distribution.file,
    wheelSha256: distribution.sha256 ?? (await hashOfDownload(pip, distribution, python)),
    python,
    includeRoot: source.includeRoot,
    files: lockedFiles(members),
    members,
  };
}

/** The wheel for the lowest Python that has one; its headers are the same for all. */
export async function wheelOf(
  pip: PipClient,
  row: Pick<HeaderRow, 'package' | 'version'>,
  pythons: readonly string[],
): Promise<{ readonly distribution: Distribution; readonly python: string }> {
  const requirement = `${row.package}==${row.version}`;
  for (const python of pythons) {
    const distribution = await findDistribution(pip, requirement, python);
    if (isDistribution(distribution)) return { distribution, python };
  }
  return fail({
    kind: 'resolution',
    message: `${requirement}, which holds header files, has no wheel for Python ${pythons.join(', ')}`,
    detail: `${row.package} is read for its headers only; any of its Pythons will do`,
    help: 'list another Python in the options of resolve-versions',
  });
}

export function readHeaders(
  pip: PipClient,
  headers: Pick<HeaderFile, 'members'>,
  distribution: Distribution,
  python: string,
): Promise<Members> {
  const names = new Set(headers.members);
  return readWheelMembers(pip, { distribution, python, env: clientEnv(), wanted: (member) => names.has(member) });
}

/** `0.minor` as the API header defines it. */
export function apiOf(members: Members): string | undefined {
  const header = [...members].find(([name]) => name.endsWith(`/${API_HEADER}`))?.[1];
  if (!header) return undefined;
  const text = Buffer.from(header).toString('utf8');
  const [major, minor] = ['MAJOR', 'MINOR'].map(
    (part) => new RegExp(`#define PJRT_API_${part} (\\d+)`).exec(text)?.[1],
  );
  return major === undefined || minor === undefined ? undefined : `${major}.${minor}`;
}

function lockedFiles(members: Members): LockedFile[] {
  return [...members]
    .map(([path, content]) => ({ path, sha256: sha256(content), size: content.length }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function hashOfDownload(pip: PipClient, { name, version }: Distribution, python: string): Promise<string> {
  return sha256File(await downloadWheel(pip, `${name}==${version}`, python, pip.tempDir));
}
