// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../engine/failure.js';
import type { Lock, LockedCrate } from '../artifacts.js';
import { fetchCrate } from '../lib/crate.js';
import { CRATE_PARTS, type CratePart } from '../lib/crate-parts.js';
import type { CrateSource } from '../lib/compat/rows.js';
import { treeSha256 } from '../lib/hash.js';
import type { Resolver } from './resolver.js';

const PROTOCOL_HEADER = 'common/TracyProtocol.hpp';

/** What is taken of the crate that a file of compat/ names. */
export async function resolveCratePart(
  resolver: Resolver,
  { crate: name, crateVersion, version }: CrateSource,
  part: CratePart,
): Promise<LockedCrate> {
  const { tree, sha256 } = await fetchPart(resolver, name, crateVersion, part);
  return { crate: name, crateVersion, version, sha256, treeSha256: await treeSha256(tree, part.files) };
}

/** The crate that compat/tracy.yaml names, if its client speaks the protocol that the file says. */
export async function resolveTracy(resolver: Resolver): Promise<Lock['tracy']> {
  const { protocol, ...source } = resolver.compat.tracy;
  const { tree } = await fetchPart(resolver, source.crate, source.crateVersion, CRATE_PARTS.tracy);
  const text = await readFile(path.join(tree, PROTOCOL_HEADER), 'utf8').catch(() => '');
  const found = /\bProtocolVersion = (\d+)/.exec(text)?.[1];
  if (found !== String(protocol)) {
    fail({
      kind: 'integrity',
      message: `the crate ${source.crate} ${source.crateVersion} does not speak the protocol that compat/tracy.yaml says`,
      file: PROTOCOL_HEADER,
      wanted: String(protocol),
      found: found ?? 'no version',
      help: 'the capture helper of the wheel (tools/_tracy.py) knows one protocol: change it together with the crate',
    });
  }
  return { ...(await resolveCratePart(resolver, source, CRATE_PARTS.tracy)), protocol };
}

/** SPDX expression that a source file states of itself. */
export function statedLicense(text: string): string | undefined {
  return /SPDX-License-Identifier: (.+?) *(?:\*\/)?$/m.exec(text)?.[1];
}

/** The crate that compat/ducc.yaml names, if all that is taken of it may be shipped as the file says. */
export async function resolveDucc(resolver: Resolver): Promise<LockedCrate> {
  const { license, ...source } = resolver.compat.ducc;
  const { tree } = await fetchPart(resolver, source.crate, source.crateVersion, CRATE_PARTS.ducc);
  for (const file of CRATE_PARTS.ducc.files) {
    const text = await readFile(path.join(tree, file), 'utf8').catch(() => '');
    const found = statedLicense(text);
    if (found === license) continue;
    fail({
      kind: 'integrity',
      message: `a file of the crate ${source.crate} ${source.crateVersion} is not under the licence that compat/ducc.yaml says`,
      file,
      wanted: license,
      found: found ?? 'none',
      help: 'what the plugin is made of goes into its wheel: read the licence before you change compat/ducc.yaml',
    });
  }
  return resolveCratePart(resolver, source, CRATE_PARTS.ducc);
}

async function fetchPart(
  { context }: Resolver,
  name: string,
  version: string,
  { folder }: CratePart,
): Promise<{ readonly tree: string; readonly sha256: string }> {
  const crate = await fetchCrate(context, name, `=${version}`);
  return { tree: path.join(crate.folder, folder), sha256: crate.checksum };
}
