// SPDX-License-Identifier: Apache-2.0
/** An IREE compiler of the developer's own: which it is, found without starting anything. */
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../../engine/failure.js';
import { writtenVersion } from '../iree-tree.js';
import { isFolder, requireReadable, wheelsAt } from './wheels.js';
import type { LocalPackage } from './types.js';

export const COMPILER_PACKAGE = 'iree-base-compiler';
const LIBRARY = 'libIREECompiler.so';

/** Where a build folder, the folder of its Python packages or a package has the library. */
const PLACES = [
  'lib',
  'compiler/bindings/python/iree/compiler/_mlir_libs',
  'iree/compiler/_mlir_libs',
  '_mlir_libs',
  '.',
] as const;

export interface FoundCompiler extends LocalPackage {
  /** Of IREE, that it says it was built from. */
  readonly commit?: string;
}

/** The wheels or the library at `place`. Fails (`usage`) where there is neither, or a library that tells no release. */
export async function compilerAt(place: string, setting: string): Promise<FoundCompiler> {
  const wheels = await wheelsAt(place, COMPILER_PACKAGE, setting);
  if (wheels) return wheels;
  const library = await libraryAt(place, setting);
  if (library === undefined) {
    return fail({
      kind: 'usage',
      message: `${setting}: ${place} holds no iree_base_compiler-*.whl and no ${LIBRARY}`,
      help: "name IREE's build folder, a folder of wheels, a wheel or the library itself (docs/at-head.md)",
    });
  }
  await requireReadable(library, setting);
  const release = (await packageRelease(library)) ?? (await buildRelease(library)) ?? (await embeddedRelease(library));
  if (release) return { package: COMPILER_PACKAGE, ...release, files: [library] };
  return fail({
    kind: 'usage',
    message: `${setting}: ${library} does not say which release it is of`,
    help: 'name the library where it was built: CMakeCache.txt above it knows the checkout, and that its version',
  });
}

/** The library, if the compiler is one; undefined for wheels. */
export function libraryOf({ files }: LocalPackage): string | undefined {
  return files.find((file) => !file.endsWith('.whl'));
}

async function libraryAt(place: string, setting: string): Promise<string | undefined> {
  if (!(await isFolder(place, setting))) return /\.so(\.|$)/.test(path.basename(place)) ? place : undefined;
  return PLACES.map((folder) => path.join(place, folder, LIBRARY)).find((file) => existsSync(file));
}

interface Release {
  readonly version: string;
  readonly commit?: string;
}

/** A Python package that was packed as a wheel says it in version.py. */
async function packageRelease(library: string): Promise<Release | undefined> {
  const text = await readFile(path.join(path.dirname(library), '..', 'version.py'), 'utf8').catch(() => '');
  return releaseIn(text);
}

/** What version.py of the package says. */
export function releaseIn(text: string): Release | undefined {
  const version = /^VERSION = "([^"]+)"/m.exec(text)?.[1];
  const commit = commitIn(text);
  return version === undefined ? undefined : { version, ...(commit === undefined ? {} : { commit }) };
}

export function commitIn(text: string): string | undefined {
  return /"IREE": "([0-9a-f]{40})"/.exec(text)?.[1];
}

/** IREE's own packages carry the commit in their version: `3.14.0.dev0+0123abc…`. */
export function commitInLabel(version: string): string | undefined {
  return /\+([0-9a-f]{7,40})$/.exec(version)?.[1];
}

/** A library in a build folder is of the checkout that CMake was given. */
async function buildRelease(library: string): Promise<Release | undefined> {
  for (let folder = path.dirname(library); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const cache = await readFile(path.join(folder, 'CMakeCache.txt'), 'utf8').catch(() => undefined);
    if (cache === undefined) continue;
    const checkout = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.+)$/m.exec(cache)?.[1];
    const version = checkout === undefined ? undefined : await writtenVersion(checkout);
    // `3.14.0.dev`: what is built between releases comes before the one that is named.
    return version === undefined ? undefined : { version: version.replace(/\.dev$/, '.dev0') };
  }
  return undefined;
}

const EMBEDDED = /(\d+\.\d+\.\d+[0-9a-z.+]*) @ ([0-9a-f]{40})/;
/** Longer than what is looked for: it may lie across two pieces. */
const OVERLAP = 256;

/** A library that was built for a release holds its version and commit as a text. */
async function embeddedRelease(library: string): Promise<Release | undefined> {
  let tail = '';
  for await (const piece of createReadStream(library, { encoding: 'latin1', highWaterMark: 4 * 1024 ** 2 })) {
    const text = tail + (piece as string);
    const [, version, commit] = EMBEDDED.exec(text) ?? [];
    if (version !== undefined && commit !== undefined) return { version, commit };
    tail = text.slice(-OVERLAP);
  }
  return undefined;
}
