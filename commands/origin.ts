// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile } from '../engine/base/files.js';
import type { Origin } from '../engine/legs/plan-file.js';
import type { CommandContext } from './context.js';
import { probeRunner } from './find-tool.js';

/** What git says of the checkout; nothing where there is no git. */
export async function originOf(context: CommandContext, root: string): Promise<Origin> {
  const run = probeRunner(root, context.env);
  const ask = async (...args: string[]): Promise<string | undefined> => {
    const answer = await run('git', args);
    return answer?.exitCode === 0 ? answer.stdout : undefined;
  };
  const commit = (await ask('rev-parse', '--verify', 'HEAD'))?.trim();
  const listed = await ask('ls-files', '--cached', '--others', '--exclude-standard', '-z');
  if (listed === undefined) return {};
  const files = [...new Set(listed.split('\0'))].filter((file) => file !== '').sort();
  return { ...(commit === undefined ? {} : { commit }), sources: await hashOf(root, files) };
}

async function hashOf(root: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const path = join(root, file);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Removed and not yet committed, or the link that stands for a folder of packages.
    if (stat === undefined || stat.isDirectory()) continue;
    const content = stat.isSymbolicLink() ? `link ${readlinkSync(path)}` : await hashFile(path);
    hash.update(`${file}\0${content}\0`);
  }
  return hash.digest('hex');
}
