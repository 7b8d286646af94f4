// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Lock, LockedIree, SourceComponent } from '../artifacts.js';
import type { Override } from './inputs.js';

/** What may be linked from an IREE tree besides IREE itself. */
interface Vendored {
  readonly name: string;
  readonly license: string;
  /** Licence file in the tree: the component is there if this is. */
  readonly file: string;
  /** File of the tree that states its version. */
  readonly version: readonly [file: string, pattern: RegExp];
}

const VENDORED: readonly Vendored[] = [
  {
    name: 'flatcc',
    license: 'Apache-2.0',
    file: 'third_party/flatcc/LICENSE',
    version: ['third_party/flatcc/include/flatcc/flatcc_version.h', /FLATCC_VERSION_TEXT "([^"]+)"/],
  },
  {
    name: 'printf',
    license: 'MIT',
    file: 'third_party/printf/LICENSE',
    version: ['third_party/printf/library.json', /"version": "([^"]+)"/],
  },
  {
    name: 'dlmalloc',
    license: 'MIT-0',
    file: 'third_party/dlmalloc/LICENSE',
    version: ['third_party/dlmalloc/malloc.c', /Version (\d\S+)/],
  },
];

/** What a library is made of. */
export interface Made {
  readonly iree: LockedIree;
  /** Release of the tree. */
  readonly version: string;
  readonly pjrtHeaders: Lock['pjrtHeaders'];
  readonly ducc: Lock['ducc'];
}

export function componentsOf(tree: string, made: Made, override: Override | undefined): SourceComponent[] {
  const {
    iree: { runtime },
    version: release,
    pjrtHeaders,
    ducc,
  } = made;
  const own = override && { override: override.kind === 'path' ? override.folder : `${override.url}@${override.rev}` };
  const iree: SourceComponent = {
    name: 'iree',
    version: release,
    license: 'Apache-2.0 WITH LLVM-exception',
    purl: override
      ? 'pkg:generic/iree'
      : `pkg:cargo/${runtime.crate}@${runtime.crateVersion}?checksum=sha256:${runtime.sha256}`,
    ...(own ?? { sha256: runtime.sha256 }),
  };
  const vendored = VENDORED.filter(({ file }) => existsSync(path.join(tree, file))).map((component) => {
    const { name, license } = component;
    const version = vendoredVersion(tree, component) ?? `in-iree-${release}`;
    return { name, version, license, purl: `pkg:generic/${name}@${version}`, ...own };
  });
  return [iree, ...vendored, headerComponent(pjrtHeaders), duccComponent(ducc)];
}

function vendoredVersion(tree: string, { version: [file, pattern] }: Vendored): string | undefined {
  const place = path.join(tree, file);
  return existsSync(place) ? pattern.exec(readFileSync(place, 'utf8'))?.[1] : undefined;
}

function headerComponent({ package: name, version, wheelSha256, pjrtApi }: Lock['pjrtHeaders']): SourceComponent {
  return {
    name: 'pjrt-c-api',
    version: pjrtApi,
    license: 'Apache-2.0',
    purl: `pkg:pypi/${name}@${version}?checksum=sha256:${wheelSha256}`,
    sha256: wheelSha256,
  };
}

/** Of the two licences that its files offer, the one that a wheel can be shipped under. */
function duccComponent({ package: name, version, sha256 }: Lock['ducc']): SourceComponent {
  return {
    name: 'ducc',
    version,
    license: 'BSD-3-Clause',
    purl: `pkg:pypi/${name}@${version}?checksum=sha256:${sha256}`,
    sha256,
  };
}

/** One licence text per component, named `<component>.txt`. */
export async function writeLicenses(
  outDir: string,
  tree: string,
  components: readonly SourceComponent[],
): Promise<void> {
  for (const { name } of components) {
    const file = path.join(outDir, 'licenses', `${name}.txt`);
    if (name === 'ducc') await writeFile(file, duccLicense(readFileSync(path.join(outDir, DUCC_HEADER), 'utf8')));
    else await copyFile(licenseOf(outDir, tree, name), file);
  }
}

const DUCC_HEADER = 'ducc/ducc0/fft/fft.h';

/** The licence file of DUCC is the GPL: the other text begins those files that may be used under both, as comments. */
export function duccLicense(header: string): string {
  const comments = header.slice(0, header.indexOf('#ifndef')).match(/(?<=\/\*)[^]*?(?=\*\/)/g) ?? [];
  const text = comments.filter((comment) => !/SPDX|GNU General Public/.test(comment)).map((comment) => comment.trim());
  if (!/^Redistribution and use/m.test(text.join('\n'))) throw new Error(`${DUCC_HEADER} states no BSD licence`);
  return `${text.join('\n\n')}\n`;
}

function licenseOf(outDir: string, tree: string, name: string): string {
  if (name === 'iree') return path.join(tree, 'LICENSE');
  if (name === 'pjrt-c-api') return path.join(outDir, 'include', 'LICENSE');
  const vendored = VENDORED.find((candidate) => candidate.name === name);
  if (!vendored) throw new Error(`no licence is known for ${name}`);
  return path.join(tree, vendored.file);
}
