// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { InputContext, StageContext, StageInputs } from '../../engine/api.js';
import type { ResolveArtifact, SourcesArtifact, ToolsArtifact } from '../artifacts.js';

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

/** zig's name of a target with its glibc floor, from a platform tag such as `manylinux_2_28_x86_64`. */
export function zigTarget(platform: string): string {
  const match = /^manylinux_(\d+)_(\d+)_(x86_64|aarch64)$/.exec(platform);
  if (!match) throw new Error(`the schema let an unknown platform tag through: ${platform}`);
  return `${match[3]}-linux-gnu.${match[1]}.${match[2]}`;
}

/** Configures and builds `native/` in the node's work folder, incrementally; returns that folder. */
export async function configureAndBuild(
  context: StageContext,
  settings: { readonly platform: string; readonly tests: boolean; readonly targets: readonly string[] },
): Promise<string> {
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const sources = context.artifact<SourcesArtifact>('fetch-sources');
  const { lock } = context.artifact<ResolveArtifact>('resolve-versions').value;
  const native = path.join(context.root, 'native');
  const build = path.join(context.workDir, 'build');
  const bin = path.join(tools.dir, tools.value.bin);
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    // zig keeps what it built (libc++, glibc stubs) beside our own state, so that `clean` frees all of it.
    ZIG_GLOBAL_CACHE_DIR: path.join(context.workDir, '..', 'zig-cache'),
    ZIG_LOCAL_CACHE_DIR: path.join(context.workDir, '..', 'zig-cache'),
  };
  const resolve = (folder: string) => path.resolve(sources.dir, folder);
  const defines = {
    CMAKE_BUILD_TYPE: 'Release',
    CMAKE_MAKE_PROGRAM: path.join(bin, 'ninja'),
    CMAKE_TOOLCHAIN_FILE: path.join(native, 'cmake', 'zig.cmake'),
    IREE_PJRT_ZIG: path.join(tools.dir, tools.value.zig),
    IREE_PJRT_ZIG_TARGET: zigTarget(settings.platform),
    IREE_PJRT_IREE_SOURCE_DIR: resolve(sources.value.iree),
    IREE_PJRT_HEADERS_DIR: resolve(sources.value.pjrtHeaders),
    IREE_PJRT_VERSION: projectVersion(context),
    IREE_PJRT_IREE_VERSION: lock.ireeRuntime.version,
    IREE_PJRT_STABLEHLO_VERSION: lock.ireeCompiler.stablehlo,
    IREE_PJRT_DEVICE: context.variant.axes['device'] ?? 'cpu',
    IREE_PJRT_FLAVOUR: context.variant.axes['flavour'] ?? 'release',
    IREE_PJRT_BUILD_TESTS: settings.tests ? 'ON' : 'OFF',
  };
  const cmake = path.join(bin, 'cmake');
  context.progress('configure');
  await context.exec(
    cmake,
    ['-S', native, '-B', build, '-G', 'Ninja', ...Object.entries(defines).map(([key, value]) => `-D${key}=${value}`)],
    { env, help: 'look for the first `CMake Error` in the log' },
  );
  context.progress('compile');
  await context.exec(
    cmake,
    ['--build', build, '--parallel', String(context.jobs), ...settings.targets.flatMap((name) => ['--target', name])],
    { env, help: 'the first `error:` in the log is the one to mend; then run the same command again' },
  );
  return build;
}
