// SPDX-License-Identifier: Apache-2.0
import { access, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { LockedIree } from '../artifacts.js';
import { clientFailure } from '../lib/client-failure.js';
import { copyIreeTree, ireeVersion } from '../lib/iree-tree.js';
import { fetchCrateFolder } from './crate-folder.js';
import type { Override } from './inputs.js';

/** The tree of the locked crate, copied as far as a build needs it. */
export async function fetchCrateTree(context: StageContext, { runtime }: LockedIree): Promise<void> {
  const target = path.join(context.outDir, 'iree');
  let files: readonly string[] = [];
  await fetchCrateFolder(context, runtime, async (crate) => {
    files = await copyIreeTree(path.join(crate, 'iree'), target);
    return { copy: target, files };
  });
  context.log(`IREE ${runtime.version}: ${files.length} files of ${runtime.crate} ${runtime.crateVersion}`);
}

/** A developer's own checkout, used where it lies. */
export async function useFolder(context: StageContext, folder: string, locked: LockedIree): Promise<void> {
  await requireTree(folder);
  await warnOfOther(context, folder, locked);
  context.log(`IREE from ${folder}`);
}

/** One commit of a git repository, with those of its submodules that a runtime build needs. */
export async function useGit(
  context: StageContext,
  { url, rev }: Extract<Override, { readonly kind: 'git' }>,
  locked: LockedIree,
): Promise<void> {
  const clone = path.join(context.tempDir, 'iree-git');
  await mkdir(clone, { recursive: true });
  const git = (...args: string[]) => context.exec('git', ['-C', clone, ...args], { env: { GIT_TERMINAL_PROMPT: '0' } });
  try {
    await git('init', '--quiet');
    await git('fetch', '--quiet', '--depth', '1', '--no-tags', url, rev);
    await git('checkout', '--quiet', '--detach', 'FETCH_HEAD');
    await git('remote', 'add', 'origin', url);
    const modules = await submodules(clone);
    if (modules.length > 0) await git('submodule', '--quiet', 'update', '--init', '--depth', '1', '--', ...modules);
  } catch (error) {
    throw clientFailure(error, `commit ${rev} of ${url}`);
  }
  await requireTree(clone);
  await warnOfOther(context, clone, locked);
  const target = path.join(context.outDir, 'iree');
  const files = await copyIreeTree(clone, target);
  context.log(`IREE ${rev.slice(0, 12)} of ${url}: ${files.length} files`);
}

/** The third-party trees that the runtime's CMake asks for; the compiler's (LLVM …) are gigabytes. */
const MODULES = ['benchmark', 'dlmalloc', 'flatcc', 'nccl', 'printf'];

async function submodules(clone: string): Promise<string[]> {
  const text = await readFile(path.join(clone, '.gitmodules'), 'utf8').catch(() => '');
  const paths = [...text.matchAll(/^\s*path\s*=\s*(\S+)\s*$/gm)].map((match) => match[1] ?? '');
  return paths.filter((place) => MODULES.some((name) => place === `third_party/${name}`));
}

async function requireTree(folder: string): Promise<void> {
  for (const file of [
    'CMakeLists.txt',
    'runtime/src/iree/base/api.h',
    'compiler/bindings/c/iree/compiler/embedding_api.h',
  ]) {
    try {
      await access(path.join(folder, file));
    } catch {
      fail({
        kind: 'usage',
        message: `${folder} is not an IREE source tree: ${file} is missing`,
        help: 'sources.iree must name the root of an IREE checkout, with its submodules',
      });
    }
  }
}

async function warnOfOther(context: StageContext, folder: string, locked: LockedIree): Promise<void> {
  const version = await ireeVersion(folder);
  if (version === locked.compiler.version) return;
  context.warn(
    `the overriding IREE tree is ${version ?? 'of unknown version'}, the locked compiler is ${locked.compiler.version}: ` +
      'modules may not load (`required module version mismatch`)',
  );
}
