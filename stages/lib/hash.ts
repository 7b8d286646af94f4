// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export async function sha256File(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Paths of all files below `folder`, relative to it, with `/`, in code-unit order. Links are not followed. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort((a, b) => (a < b ? -1 : 1));
}

/** sha256 over the paths and contents of `files` below `folder`: a line `<sha256>  <path>` each, as sha256sum prints. */
export async function treeSha256(folder: string, files?: readonly string[]): Promise<string> {
  const list = files ? [...files].sort((a, b) => (a < b ? -1 : 1)) : await filesBelow(folder);
  const limit = pLimit(16);
  const lines = await Promise.all(
    list.map((file) => limit(async () => `${await sha256File(path.join(folder, file))}  ${file}\n`)),
  );
  return sha256(lines.join(''));
}
