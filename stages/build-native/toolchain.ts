// SPDX-License-Identifier: Apache-2.0
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact } from '../../engine/api.js';
import type { Lock, SourceComponent, ToolsArtifact } from '../artifacts.js';

/** What zig links into every library from sources of its own; licence files are relative to its package. */
const LINKED = [
  { name: 'libcxx', license: 'Apache-2.0 WITH LLVM-exception', part: 'lib/libcxx', file: 'lib/libcxx/LICENSE.TXT' },
  { name: 'zig-compiler-rt', license: 'MIT', part: 'lib/compiler_rt', file: 'LICENSE' },
] as const;

/** The compiler's own share of the library, for the SBOM; writes the licence texts as `<component>.txt`. */
export async function toolchainComponents(
  tools: Artifact<ToolsArtifact>,
  licenses: string,
): Promise<SourceComponent[]> {
  const version = tools.value.versions['ziglang'] ?? 'unknown';
  const zig = path.dirname(path.join(tools.dir, tools.value.zig));
  for (const { name, file } of LINKED) await copyFile(path.join(zig, file), path.join(licenses, `${name}.txt`));
  return LINKED.map(({ name, license, part }) => ({
    name,
    version,
    license,
    purl: `pkg:pypi/ziglang@${version}#${part}`,
  }));
}

/** Tracy's client, which the flavour `tracing` links; writes its licence text. */
export async function tracyComponent(tracy: Lock['tracy'], tree: string, licenses: string): Promise<SourceComponent> {
  await copyFile(path.join(tree, 'LICENSE'), path.join(licenses, 'tracy.txt'));
  return {
    name: 'tracy',
    version: tracy.version,
    license: 'BSD-3-Clause',
    purl: `pkg:cargo/${tracy.crate}@${tracy.crateVersion}?checksum=sha256:${tracy.sha256}`,
    sha256: tracy.sha256,
  };
}
