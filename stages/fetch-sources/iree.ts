// SPDX-License-Identifier: Apache-2.0
import { access, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail, PipelineFailure } from '../../engine/failure.js';
import type { LockedIree } from '../artifacts.js';
import { clientFailure } from '../lib/client-failure.js';
import { copyIreeTree, ireeVersion } from '../lib/iree-tree.js';
import { releaseOf } from '../lib/release-of.js';
import { fetchCrateFolder } from './crate-folder.js';
import type { Override } from './inputs.js';
import type { LocalCompiler } from '../lib/local/types.js';

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
export async function useFolder(context: StageContext, folder: string): Promise<void> {
  await requireTree(folder);
  await requireSubmodules(folder);
  context.log(`IREE from ${folder}`);
}

/** One commit of a git repository, with those of its submodules that a runtime build needs. */
export async function useGit(
  context: StageContext,
  { url, rev }: Extract<Override, { readonly kind: 'git' }>,
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

/** The submodule without which nothing of the runtime is built. */
const NEEDED_MODULE = 'third_party/flatcc';

/** A clone without its submodules has their folders, empty: CMake would say so in words of its own, late. */
async function requireSubmodules(folder: string): Promise<void> {
  if (!(await submodules(folder)).includes(NEEDED_MODULE)) return;
  if ((await readdir(path.join(folder, NEEDED_MODULE)).catch(() => [])).length > 0) return;
  fail({
    kind: 'usage',
    message: `${folder} is a checkout of IREE without its submodules: ${NEEDED_MODULE} is empty`,
    help: `git -C ${folder} submodule update --init`,
  });
}

/** What the tree must agree with. */
export interface Together {
  readonly iree: LockedIree;
  /** One of the developer's own. */
  readonly own: LocalCompiler | undefined;
  /** Commit of the tree, where it is known. */
  readonly commit?: string | undefined;
}

/**
 * The release of the tree. Fails (`resolution`) unless the compiler is of its release line: the runtime refuses what
 * another's makes, and that would show only once everything is built.
 */
export async function checkTogether(context: StageContext, tree: string, together: Together): Promise<string> {
  const { iree, own: compiler, commit } = together;
  const version = await ireeVersion(tree);
  if (version === undefined) {
    return fail({
      kind: 'usage',
      message: `${tree} does not say which release it is: runtime/version.json has no package-version`,
      help: 'sources.iree must name the root of an IREE checkout',
    });
  }
  if (releaseOf(version) !== releaseOf(iree.compiler.version)) {
    fail({
      kind: 'resolution',
      message: `IREE's sources are ${version}, the compiler is ${iree.compiler.version}: they must be of one release`,
      detail: [
        `sources ${version}: ${tree}`,
        `compiler ${iree.compiler.version}: ${compiler?.files.join(', ') ?? 'pipeline.lock.yaml'}`,
      ].join('\n'),
      help: compiler
        ? `give sources of ${releaseOf(compiler.version)} (sources.iree.path), or a compiler of ${releaseOf(version)} (sources.compiler.path)`
        : `give a compiler of ${releaseOf(version)} too: --set sources.compiler.path=… (docs/at-head.md)`,
    });
  }
  const built = compiler?.commit;
  if (built !== undefined && commit !== undefined && !commit.startsWith(built) && !built.startsWith(commit)) {
    context.warn(
      `the compiler was built from commit ${built}, the sources are at ${commit}: between releases they may not agree`,
    );
  }
  return version;
}

/** The commit that a checkout is at; undefined without git. */
export async function commitOf(context: StageContext, folder: string): Promise<string | undefined> {
  try {
    const { stdout } = await context.exec('git', ['-C', folder, 'rev-parse', '--show-prefix', 'HEAD'], { echo: false });
    // With a prefix it is a folder in another repository.
    const [prefix = '', commit] = stdout.split('\n');
    return prefix === '' ? commit : undefined;
  } catch (error) {
    if (!(error instanceof PipelineFailure) || error.failure.kind === 'cancelled') throw error;
    return undefined;
  }
}
