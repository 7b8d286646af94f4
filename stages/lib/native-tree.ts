// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { InputContext, StageContext, StageInputs, Variant } from '../../engine/api.js';
import type { Lock, LockedIree, ResolveArtifact, SourcesArtifact, ToolsArtifact } from '../artifacts.js';
import type { CheckedCompiler } from './local/types.js';
import { type AsanCompiler, asanCompiler } from './asan-compiler.js';
import { ireeOf, resolvedIree } from './locked-iree.js';
import { releaseOf } from './release-of.js';

/** What these stages see of `resolve-versions`. */
export interface NativeVersions {
  readonly lock: Pick<Lock, 'pjrtHeaders' | 'cudaHeaders' | 'tracy' | 'googletest' | 'ducc'> & {
    /** The one that the variant is made of. */
    readonly iree: readonly [LockedIree];
  };
  readonly compiler?: CheckedCompiler;
}

/** A new jaxlib, another claim, another release line: none of them is read, and none compiles anything. */
export const NATIVE_READS = {
  'resolve-versions': ({ lock, compiler }: ResolveArtifact, variant: Variant): NativeVersions => {
    const { pjrtHeaders, cudaHeaders, tracy, googletest, ducc } = lock;
    return {
      lock: { iree: [ireeOf(lock, variant)], pjrtHeaders, cudaHeaders, tracy, googletest, ducc },
      ...(compiler === undefined ? {} : { compiler }),
    };
  },
};

/** The native tree is configured by two stages (the library, its GoogleTests): what they share. */
export async function nativeInputs(context: InputContext): Promise<StageInputs> {
  return {
    files: await context.glob('native', ['**/*', '!**/*.md']),
    values: { version: projectVersion(context) },
  };
}

export function projectVersion(context: InputContext): string {
  // The schema makes it a string.
  return context.config.project['version'] as string;
}

/** Of the sources that a library is made of. */
export interface MadeOf {
  /** Release of IREE's sources. */
  readonly iree: string;
  /** Sources or compiler are not those of the lock. */
  readonly local: boolean;
}

/**
 * PEP 440 version of a wheel, e.g. `0.1.0.3.13+asan`: the project's, then the IREE release line where there are several
 * (pip takes the newest unless told otherwise, and an index accepts it), then the label of what is not published: its
 * flavour, and `head` for what is made of a developer's own builds.
 */
export function wheelVersion(context: InputContext, { iree, local }: MadeOf): string {
  const { iree: line, flavour = 'release' } = context.variant.axes;
  const version = [projectVersion(context), ...(line === undefined ? [] : [releaseOf(iree)])].join('.');
  const labels = [...(flavour === 'release' ? [] : [flavour]), ...(local ? ['head'] : [])];
  return labels.length === 0 ? version : `${version}+${labels.join('.')}`;
}

/**
 * The wheel's platform tag, e.g. `manylinux_2_28_x86_64`, from the stage's option and the axis `arch`. The system's
 * compiler links against the system's glibc, and to a runtime that no manylinux allows: `linux_x86_64` promises nothing.
 */
export function platformTag(context: InputContext<{ readonly platform: string }>): string {
  const { flavour, arch = 'x86_64' } = context.variant.axes;
  return flavour === 'asan' ? `linux_${arch}` : `${context.options.platform}_${arch}`;
}

/** zig's name of a target with its glibc floor, from a platform tag such as `manylinux_2_28_x86_64`. */
export function zigTarget(platform: string): string {
  const match = /^manylinux_(\d+)_(\d+)_(x86_64|aarch64)$/.exec(platform);
  if (!match) throw new Error(`the schema let an unknown platform tag through: ${platform}`);
  return `${match[3]}-linux-gnu.${match[1]}.${match[2]}`;
}

/** Setting of build-native. */
export const KEEP_GOING = 'build-native.keep-going';

export interface BuildSettings {
  /** Platform tag. */
  readonly platform: string;
  readonly targets: readonly string[];
}

function keepsGoing(context: StageContext): boolean {
  return context.settings[KEEP_GOING] === 'true';
}

/** Configures and builds `native/`, incrementally; returns the build tree. */
export async function configureAndBuild(context: StageContext, settings: BuildSettings): Promise<string> {
  // The system's compiler builds flavours for which zig has no runtime.
  const compiler = context.variant.axes['flavour'] === 'asan' ? await asanCompiler(context) : undefined;
  const tree = await buildTree(context, compiler);
  const cmake = path.join(tree.bin, 'cmake');
  const env = {
    PATH: `${tree.bin}:${process.env['PATH'] ?? ''}`,
    // zig keeps what it built (libc++, glibc stubs) beside our own state, so that `clean` frees all of it.
    ZIG_GLOBAL_CACHE_DIR: path.join(context.workDir, '..', 'zig-cache'),
    ZIG_LOCAL_CACHE_DIR: path.join(context.workDir, '..', 'zig-cache'),
  };
  const toolchain = compiler
    ? { CMAKE_C_COMPILER: compiler.cc, CMAKE_CXX_COMPILER: compiler.cxx }
    : zigDefines(context, settings, tree);
  const defines = Object.entries({ ...toolchain, ...definesOf(context, tree) }).map(
    ([key, value]) => `-D${key}=${value}`,
  );
  const native = path.join(context.root, 'native');
  context.progress('configure');
  await context.exec(cmake, ['-S', native, '-B', tree.build, '-G', 'Ninja', ...defines], {
    env,
    help: 'look for the first `CMake Error` in the log',
  });
  context.progress('compile');
  const targets = settings.targets.flatMap((name) => ['--target', name]);
  const all = keepsGoing(context) ? ['--', '-k', '0'] : [];
  await context.exec(cmake, ['--build', tree.build, '--parallel', String(context.jobs), ...targets, ...all], {
    env,
    help: 'the first `error:` in the log is the one to mend; then run the same command again',
  });
  return tree.build;
}

interface BuildTree {
  readonly build: string;
  /** Links beside the build tree: CMake remembers these paths, which stay when a result moves to another folder. */
  readonly bin: string;
  readonly zig: string;
  readonly iree: string;
  readonly pjrtHeaders: string;
  readonly cudaHeaders: string;
  readonly tracy: string;
  readonly googletest: string;
  readonly ducc: string;
}

/**
 * The folder of the build tree for this compiler and these sources; others are removed. (CMake refuses a tree that was
 * moved.)
 */
async function buildTree(context: StageContext, compiler: AsanCompiler | undefined): Promise<BuildTree> {
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const sources = context.artifact<SourcesArtifact>('fetch-sources');
  const name = createHash('sha256')
    .update([tools.digest, sourcesId(context), compiler?.id, context.root].join(' '))
    .digest('hex')
    .slice(0, 12);
  const folder = path.join(context.workDir, name);
  await mkdir(folder, { recursive: true });
  const others = (await readdir(context.workDir)).filter((entry) => entry !== name);
  await Promise.all(others.map((entry) => rm(path.join(context.workDir, entry), { recursive: true, force: true })));

  const link = async (as: string, target: string) => {
    const place = path.join(folder, as);
    await rm(place, { force: true });
    await symlink(target, place);
    return place;
  };
  const toolsDir = await link('tools', tools.dir);
  return {
    build: path.join(folder, 'build'),
    bin: path.join(toolsDir, tools.value.bin),
    zig: path.join(toolsDir, tools.value.zig),
    iree: await link('iree', path.resolve(sources.dir, sources.value.iree)),
    pjrtHeaders: await link('pjrt-headers', path.resolve(sources.dir, sources.value.pjrtHeaders)),
    cudaHeaders: await link('cuda-headers', path.resolve(sources.dir, sources.value.cudaHeaders)),
    tracy: await link('tracy', path.resolve(sources.dir, sources.value.tracy)),
    googletest: await link('googletest', path.resolve(sources.dir, sources.value.googletest)),
    ducc: await link('ducc', path.resolve(sources.dir, sources.value.ducc)),
  };
}

/** The same after an edit in a developer's own checkout: only what it reaches is compiled again. */
function sourcesId(context: StageContext): string {
  const { digest, value } = context.artifact<SourcesArtifact>('fetch-sources');
  return value.ireeSha256 === undefined ? digest : `${value.iree} ${JSON.stringify(versions(context).lock)}`;
}

function versions(context: StageContext): NativeVersions {
  return context.artifact<NativeVersions>('resolve-versions').value;
}

function zigDefines(context: StageContext, settings: BuildSettings, tree: BuildTree): Readonly<Record<string, string>> {
  return {
    CMAKE_TOOLCHAIN_FILE: path.join(context.root, 'native', 'cmake', 'zig.cmake'),
    IREE_PJRT_ZIG: tree.zig,
    IREE_PJRT_ZIG_TARGET: zigTarget(settings.platform),
  };
}

function definesOf(context: StageContext, tree: BuildTree): Readonly<Record<string, string>> {
  const iree = resolvedIree(versions(context), context.variant);
  return {
    CMAKE_BUILD_TYPE: 'Release',
    CMAKE_MAKE_PROGRAM: path.join(tree.bin, 'ninja'),
    IREE_PJRT_IREE_SOURCE_DIR: tree.iree,
    IREE_PJRT_HEADERS_DIR: tree.pjrtHeaders,
    IREE_PJRT_CUDA_HEADERS_DIR: tree.cudaHeaders,
    IREE_PJRT_TRACY_DIR: tree.tracy,
    IREE_PJRT_GOOGLETEST_DIR: tree.googletest,
    IREE_PJRT_DUCC_DIR: tree.ducc,
    IREE_PJRT_VERSION: projectVersion(context),
    IREE_PJRT_IREE_VERSION: context.artifact<SourcesArtifact>('fetch-sources').value.ireeVersion,
    IREE_PJRT_STABLEHLO_VERSION: iree.compiler.stablehlo,
    IREE_PJRT_DEVICE: context.variant.axes['device'] ?? 'cpu',
    IREE_PJRT_FLAVOUR: context.variant.axes['flavour'] ?? 'release',
    // Tests are built for the library alone, too: both stages build in one tree, and nothing is compiled twice.
    IREE_PJRT_BUILD_TESTS: 'ON',
    // Each file that does not compile is to be named.
    IREE_PJRT_UNITY: keepsGoing(context) ? 'OFF' : 'ON',
  };
}
