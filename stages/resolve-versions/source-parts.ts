// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../engine/failure.js';
import type { Lock, LockedCrate, LockedSdist } from '../artifacts.js';
import { fetchCrate } from '../lib/crate.js';
import type { CrateSource } from '../lib/compat/rows.js';
import { treeSha256 } from '../lib/hash.js';
import { downloadSdist, unpackSdist } from '../lib/sdist.js';
import { SOURCE_PARTS, type SourcePart } from '../lib/source-parts.js';
import type { Resolver } from './resolver.js';

const PROTOCOL_HEADER = 'common/TracyProtocol.hpp';

/** What is taken of the crate that a file of compat/ names; `check` fails if it is not what the file says. */
export async function resolveCratePart(
  { context }: Resolver,
  { crate: name, crateVersion, version }: CrateSource,
  part: SourcePart,
  check?: (tree: string) => Promise<void>,
): Promise<LockedCrate> {
  const { folder, checksum } = await fetchCrate(context, name, `=${crateVersion}`);
  const tree = path.join(folder, part.folder);
  await check?.(tree);
  return { crate: name, crateVersion, version, sha256: checksum, treeSha256: await treeSha256(tree, part.files) };
}

/** The crate that compat/tracy.yaml names, if its client speaks the protocol that the file says. */
export async function resolveTracy(resolver: Resolver): Promise<Lock['tracy']> {
  const { protocol, ...source } = resolver.compat.tracy;
  const speaks = async (tree: string): Promise<void> => {
    const text = await readFile(path.join(tree, PROTOCOL_HEADER), 'utf8').catch(() => '');
    const found = /\bProtocolVersion = (\d+)/.exec(text)?.[1];
    if (found === String(protocol)) return;
    fail({
      kind: 'integrity',
      message: `the crate ${source.crate} ${source.crateVersion} does not speak the protocol that compat/tracy.yaml says`,
      file: PROTOCOL_HEADER,
      wanted: String(protocol),
      found: found ?? 'no version',
      help: 'the capture helper of the wheel (tools/_tracy.py) knows one protocol: change it together with the crate',
    });
  };
  return { ...(await resolveCratePart(resolver, source, SOURCE_PARTS.tracy, speaks)), protocol };
}

/** SPDX expression that a source file states of itself. */
export function statedLicense(text: string): string | undefined {
  return /SPDX-License-Identifier: (.+?) *(?:\*\/)?$/m.exec(text)?.[1];
}

/** The source distribution that compat/ducc.yaml names, if all that is taken of it may be shipped as the file says. */
export async function resolveDucc({ pip, compat }: Resolver): Promise<LockedSdist> {
  const { package: name, version, license } = compat.ducc;
  const { folder, files } = SOURCE_PARTS.ducc;
  const sdist = await downloadSdist(pip, name, version);
  const tree = path.join(await unpackSdist(sdist), folder);
  for (const file of files) {
    const text = await readFile(path.join(tree, file), 'utf8').catch(() => '');
    const found = statedLicense(text);
    if (found === license) continue;
    fail({
      kind: 'integrity',
      message: `a file of ${name} ${version} is not under the licence that compat/ducc.yaml says`,
      file,
      wanted: license,
      found: found ?? 'none',
      help: 'what the plugin is made of goes into its wheel: read the licence before you change compat/ducc.yaml',
    });
  }
  return { package: name, version, sha256: sdist.sha256 };
}
