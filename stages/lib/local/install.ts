// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Uint8ArrayWriter, TextReader, ZipWriter } from '@zip.js/zip.js';
import type { InputContext, StageContext } from '../../../engine/api.js';
import { fail } from '../../../engine/failure.js';
import { machineOf } from '../pythons.js';
import type { UvEnvironmentSpec } from '../uv-env.js';
import { libraryOf } from './compiler.js';
import { tagsOf, wheelFor } from './wheels.js';
import type { LocalBuilds, LocalPackage } from './types.js';

/** A part of what `makeUvEnvironment` is given. */
export type Packages = Pick<UvEnvironmentSpec, 'requirements' | 'compilerLibrary'>;

/**
 * Requirements by distribution (`{ jaxlib: 'jaxlib==0.10.2' }`), those of which there is a build of the developer's own
 * as its wheel for Python `minor`. A bare library is installed as a package without it, to which it is then linked.
 */
export async function packagesFor(
  context: Pick<StageContext, 'tempDir' | 'variant'>,
  local: LocalBuilds | undefined,
  minor: string,
  wanted: Readonly<Record<string, string>>,
): Promise<Packages> {
  const { compiler, jaxlib, jax } = local ?? {};
  const library = compiler && libraryOf(compiler);
  const requirements: string[] = [];
  for (const [name, requirement] of Object.entries(wanted)) {
    const own = [compiler, jaxlib, jax].find((part) => part?.package === name);
    if (own === undefined) requirements.push(requirement);
    else if (own === compiler && library !== undefined) requirements.push(await standIn(context.tempDir, own));
    else requirements.push(requireWheel(context, own, minor));
  }
  const linked = library !== undefined && compiler !== undefined && compiler.package in wanted;
  return { requirements, ...(linked ? { compilerLibrary: library } : {}) };
}

/** Whether there is a wheel of each for this Python; a library serves any. */
export function servesMinor(context: Pick<InputContext, 'variant'>, local: LocalBuilds, minor: string): boolean {
  return [local.compiler, local.jaxlib, local.jax].every(
    (part) => part === undefined || libraryOf(part) !== undefined || wheelFor(part, minor, machineOf(context)),
  );
}

function requireWheel(context: Pick<InputContext, 'variant'>, own: LocalPackage, minor: string): string {
  const wheel = wheelFor(own, minor, machineOf(context));
  if (wheel !== undefined) return wheel;
  return fail({
    kind: 'resolution',
    message: `no wheel of your ${own.package} ${own.version} is for Python ${minor} on ${machineOf(context)}`,
    detail: `there is ${tagsOf(own)}`,
    help: `build it for Python ${minor}, or name a Python that it is for in PIPELINE_PYTHONS`,
  });
}

/** A wheel of nothing but a name and a version, so that who requires the package finds it. */
async function standIn(folder: string, { package: name, version }: LocalPackage): Promise<string> {
  const escaped = name.replaceAll('-', '_');
  const info = `${escaped}-${version}.dist-info`;
  const members = {
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: iree-pjrt\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: ['METADATA', 'WHEEL', 'RECORD'].map((file) => `${info}/${file},,\n`).join(''),
  };
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [member, text] of Object.entries(members)) await zip.add(member, new TextReader(text));
  const file = path.join(folder, `${escaped}-${version}-py3-none-any.whl`);
  await writeFile(file, await zip.close());
  return file;
}
