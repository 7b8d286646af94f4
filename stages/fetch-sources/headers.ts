// SPDX-License-Identifier: Apache-2.0
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { LockedFile, LockedHeaders } from '../artifacts.js';
import { clientEnv } from '../lib/client-env.js';
import { sha256 } from '../lib/hash.js';
import { findDistribution, isDistribution, pipOf } from '../lib/pip.js';
import { readWheelMembers } from '../lib/wheel.js';
import type { FetchOptions } from './inputs.js';
import { otherFile } from './other-file.js';

/** Build trees are named by what they are made of, so that no other file of this name and time comes into one. */
const LONG_AGO = new Date('2000-01-01T00:00:00Z');

/** The locked header files, in `folder` as a compiler looks for them. */
export async function fetchHeaders(
  context: StageContext<FetchOptions>,
  locked: LockedHeaders,
  folder: string,
): Promise<void> {
  const pip = pipOf(context);
  const requirement = `${locked.package}==${locked.version}`;
  const distribution = await findDistribution(pip, requirement, locked.python);
  if (!isDistribution(distribution)) {
    return fail({
      kind: 'network',
      message: `the registry does not have ${requirement} for Python ${locked.python} (any more); nothing was changed`,
      help: 'if you use a mirror, add the package to it; else run `npx pipeline resolve --update`',
    });
  }
  const { sha256: promised } = distribution;
  if (distribution.file !== locked.wheel || (promised !== undefined && promised !== locked.wheelSha256)) {
    otherFile(requirement, {
      file: locked.wheel,
      wanted: locked.wheelSha256,
      found: `${distribution.file} ${promised ?? 'without a hash'}`,
    });
  }
  const names = new Set(locked.files.map((file) => file.path));
  const members = await readWheelMembers(pip, {
    distribution,
    python: locked.python,
    env: clientEnv(),
    sha256: locked.wheelSha256,
    wanted: (name) => names.has(name),
  });
  for (const file of locked.files)
    await writeVerified(path.join(context.outDir, folder), locked, file, members.get(file.path));
  context.log(`${folder}: ${locked.files.length} files of ${locked.wheel}`);
}

async function writeVerified(
  folder: string,
  locked: LockedHeaders,
  file: LockedFile,
  content: Uint8Array | undefined,
): Promise<void> {
  const found = content && sha256(content);
  if (content === undefined || found !== file.sha256) {
    return fail({
      kind: 'integrity',
      message: `${file.path} in ${locked.wheel} is not what was locked`,
      file: file.path,
      wanted: file.sha256,
      found: found ?? 'no such file',
      help: 'a proxy or mirror may have altered it; run again, or without it',
    });
  }
  const target = path.join(folder, path.posix.relative(locked.includeRoot, file.path));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, content);
  // Fetched again it is the same file: a build tree must not take it for a newer one.
  await utimes(target, LONG_AGO, LONG_AGO);
}
