// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../../engine/failure.js';
import { parseWheelName, serves } from '../wheel-name.js';
import type { LocalPackage } from './types.js';

/** The wheels of one distribution at `place` (a wheel, or a folder of wheels); undefined if there are none. */
export async function wheelsAt(place: string, name: string, setting: string): Promise<LocalPackage | undefined> {
  const folder = await isFolder(place, setting);
  const files = folder ? (await readdir(place)).sort().map((file) => path.join(place, file)) : [place];
  const wheels = files.flatMap((file) => {
    const parsed = parseWheelName(file);
    return parsed?.name === name ? [{ file, version: parsed.version }] : [];
  });
  const [version, ...others] = [...new Set(wheels.map((wheel) => wheel.version))];
  if (version === undefined) return undefined;
  if (others.length > 0) {
    fail({
      kind: 'usage',
      message: `${setting}: ${place} holds ${name} of several versions: ${[version, ...others].join(', ')}`,
      help: 'name the wheel itself, or leave the wheels of one version there',
    });
  }
  for (const { file } of wheels) await requireReadable(file, setting);
  return { package: name, version, files: wheels.map(({ file }) => file) };
}

/** Fails (`usage`) for what is not there. */
export async function isFolder(place: string, setting: string): Promise<boolean> {
  const found = await stat(place).catch(() => undefined);
  if (found) return found.isDirectory();
  return fail({
    kind: 'usage',
    message: `${setting}: there is no ${place}`,
    help: 'a relative path starts at the folder of pipeline.yaml',
  });
}

export async function requireReadable(file: string, setting: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
    if ((await stat(file)).isFile()) return;
  } catch {
    // The same is to be said of it.
  }
  fail({
    kind: 'usage',
    message: `${setting}: ${file} is not a file that can be read`,
    help: 'look at its permissions',
  });
}

/** The wheel that Python `minor` takes on a processor; undefined if there is none. */
export function wheelFor({ files }: LocalPackage, minor: string, machine: string): string | undefined {
  return files.find((file) => {
    const name = parseWheelName(file);
    return name !== undefined && serves(name, minor, machine);
  });
}

/** For messages: `cp312-cp312-manylinux_2_28_x86_64, …`. */
export function tagsOf({ files }: LocalPackage): string {
  return files.map((file) => path.basename(file, '.whl').split('-').slice(-3).join('-')).join(', ');
}
