// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../engine/failure.js';
import { channelArgs } from './channels.js';
import { sha256File } from './hash.js';
import { missingOf, runPip, type PipClient } from './pip.js';

/** The source distribution of a release, downloaded. */
export interface Sdist {
  /** Where it lies; removed with the stage's temporary files. */
  readonly archive: string;
  readonly sha256: string;
}

/**
 * Lets pip download the source distribution of an exact release. pip wants its metadata as well, for which it lets the
 * package's build backend run in an environment of its own; nothing is built.
 */
export async function downloadSdist(pip: PipClient, name: string, version: string): Promise<Sdist> {
  const requirement = `${name}==${version}`;
  const folder = await mkdtemp(path.join(pip.tempDir, 'sdist-'));
  const which = ['--no-deps', '--no-binary', name, ...channelArgs(pip.channel, 'pip')];
  const question = ['download', '--quiet', '--dest', folder, ...which, requirement];
  try {
    await runPip(pip, question);
  } catch (error) {
    const { versions } = await missingOf(pip, { requirement, question }, error);
    fail({
      kind: 'network',
      message: `the registry does not have the source distribution of ${requirement} (any more); nothing was changed`,
      detail: `it has ${versions.join(', ') || 'none at all'}`,
      help: 'if you use a mirror, add the source distribution to it',
    });
  }
  const [file] = await readdir(folder);
  if (file === undefined) throw new Error(`pip download ${requirement} left nothing in ${folder}`);
  const archive = path.join(folder, file);
  return { archive, sha256: await sha256File(archive) };
}

/** Unpacks it into a folder beside it: the one folder that every source distribution has, `<name>-<version>`. */
export async function unpackSdist({ archive }: Sdist): Promise<string> {
  const folder = await mkdtemp(`${archive}-`);
  const tar = await import('tar');
  try {
    await tar.extract({ file: archive, cwd: folder, strict: true });
  } catch (error) {
    fail({
      kind: 'integrity',
      message: `${path.basename(archive)} cannot be unpacked`,
      file: path.basename(archive),
      wanted: 'a .tar.gz',
      found: error instanceof Error ? error.message : String(error),
      help: 'a proxy or mirror may have altered it; run again, or without it',
    });
  }
  const [root] = await readdir(folder);
  if (root === undefined) throw new Error(`${archive} is empty`);
  return path.join(folder, root);
}
