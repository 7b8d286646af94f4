// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../engine/failure.js';
import type { Lock } from '../artifacts.js';
import { fetchCrate } from '../lib/crate.js';
import { treeSha256 } from '../lib/hash.js';
import type { Resolver } from './resolver.js';

const PROTOCOL_HEADER = 'common/TracyProtocol.hpp';

/** The crate that compat/tracy.yaml names, if its client speaks the protocol that the file says. */
export async function resolveTracy(resolver: Resolver): Promise<Lock['tracy']> {
  const { crate: name, crateVersion, version, protocol } = resolver.compat.tracy;
  const crate = await fetchCrate(resolver.context, name, `=${crateVersion}`);
  const tree = path.join(crate.folder, 'tracy');
  const text = await readFile(path.join(tree, PROTOCOL_HEADER), 'utf8').catch(() => '');
  const found = /\bProtocolVersion = (\d+)/.exec(text)?.[1];
  if (found !== String(protocol)) {
    fail({
      kind: 'integrity',
      message: `the crate ${name} ${crateVersion} does not speak the protocol that compat/tracy.yaml says`,
      file: PROTOCOL_HEADER,
      wanted: String(protocol),
      found: found ?? 'no version',
      help: 'the capture helper of the wheel (tools/_tracy.py) knows one protocol: change it together with the crate',
    });
  }
  return { crate: name, crateVersion, version, protocol, sha256: crate.checksum, treeSha256: await treeSha256(tree) };
}
