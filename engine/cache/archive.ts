// SPDX-License-Identifier: Apache-2.0
/** Folders as deterministic tar.gz files: what every store keeps. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { walk } from '../base/files.js';

/** Every file has this time inside an archive, so that equal folders give equal bytes. */
const ARCHIVE_TIME = new Date(Date.UTC(2000, 0, 1));

/** Gives `use` the path of a temporary file below `dir`, which is gone when it ends. */
export async function withTempFile<T>(dir: string, use: (file: string) => Promise<T>): Promise<T> {
  const file = path.join(dir, `${process.pid}-${randomBytes(6).toString('hex')}.tgz`);
  await fs.promises.mkdir(dir, { recursive: true });
  try {
    return await use(file);
  } finally {
    await fs.promises.rm(file, { force: true });
  }
}

/** Writes what is at `names` in `folder` into the new file `file`. */
export async function writeArchive(
  folder: string,
  names: readonly string[],
  file: string,
  signal?: AbortSignal,
): Promise<void> {
  const tar = await import('tar');
  const paths = walk(folder)
    .map((entry) => entry.path)
    .filter((entry) => names.some((name) => entry === name || entry.startsWith(`${name}/`)));
  const pack = tar.create(
    {
      cwd: folder,
      gzip: { level: 1 },
      portable: true,
      noDirRecurse: true,
      strict: true,
      mtime: ARCHIVE_TIME,
    },
    paths,
  );
  const out = await fs.promises.open(file, 'wx');
  try {
    for await (const chunk of pack) {
      signal?.throwIfAborted();
      await out.write(chunk);
    }
  } finally {
    await out.close();
  }
}

export async function extractArchive(file: string, into: string): Promise<void> {
  const tar = await import('tar');
  await tar.extract({ file, cwd: into, strict: true, noMtime: true, preserveOwner: false });
}
