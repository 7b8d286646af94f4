// SPDX-License-Identifier: Apache-2.0
import { copyFile, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { Hardening, NativeArtifact, SourceComponent, SourcesArtifact, ToolsArtifact } from '../artifacts.js';
import { configureAndBuild, type NativeVersions, platformTag } from '../lib/native-tree.js';
import { toolchainComponents, tracyComponent } from './toolchain.js';

export interface BuildOptions {
  /** Wheel platform tag without the processor; its glibc version is the floor that the library is linked against. */
  readonly platform: string;
}

interface Elf {
  readonly exports: readonly string[];
  readonly needed: readonly string[];
  readonly glibc: string;
  readonly hardening: Hardening;
}

/** Where the library looks for it: beside itself. */
const HELPER = 'iree-pjrt-compiled';

/** Builds the plugin library, checks what it exports and needs, and hands it on with what belongs to it. */
export async function buildNative(context: StageContext<BuildOptions>): Promise<NativeArtifact> {
  const plugin = `pjrt_plugin_iree_${context.variant.axes['device'] ?? 'cpu'}`;
  const library = `${plugin}.so`;
  const platform = platformTag(context);
  const asan = context.variant.axes['flavour'] === 'asan';
  // An ASAN library keeps its debug information, since its reports name lines.
  const extra = asan ? [`${plugin}_planted.so`] : [`${library}.debug`];
  const build = await configureAndBuild(context, {
    platform,
    targets: [plugin, `${plugin}_${asan ? 'planted' : 'debug'}`],
  });
  for (const file of [library, HELPER, ...extra]) {
    await copyFile(path.join(build, file), path.join(context.outDir, file));
  }
  const withSymbols = asan ? library : `${library}.debug`;
  const elf = await inspect(context, path.join(context.outDir, library), path.join(context.outDir, withSymbols));
  checkElf(elf, library, platform);
  if (context.variant.axes['flavour'] === 'release') checkHardening(elf, library);
  const { size } = await stat(path.join(context.outDir, library));
  context.log(`${library}: ${size} bytes, exports ${elf.exports.join(', ')}, needs glibc ${elf.glibc}`);
  const licenses = path.join(context.outDir, 'licenses');
  await mkdir(licenses);
  // The system's compiler leaves its libraries to the system.
  const toolchain = asan ? [] : await toolchainComponents(context.artifact<ToolsArtifact>('setup-tools'), licenses);
  return {
    library,
    helper: HELPER,
    ...(asan ? { planted: await plantedBugs(context, plugin) } : { debug: `${library}.debug` }),
    platform,
    size,
    ...elf,
    licenses: 'licenses',
    toolchain: [...toolchain, ...(await flavourComponents(context, licenses))],
  };
}

/** The components that only this flavour is made of. */
async function flavourComponents(context: StageContext, licenses: string): Promise<readonly SourceComponent[]> {
  if (context.variant.axes['flavour'] !== 'tracing') return [];
  const sources = context.artifact<SourcesArtifact>('fetch-sources');
  const { lock } = context.artifact<NativeVersions>('resolve-versions').value;
  return [await tracyComponent(lock.tracy, path.resolve(sources.dir, sources.value.tracy), licenses)];
}

/** The planted bugs and their lines: native/test/planted_bugs.cc says `// planted NAME: REPORT` on each. */
async function plantedBugs(context: StageContext, plugin: string): Promise<NonNullable<NativeArtifact['planted']>> {
  const file = 'planted_bugs.cc';
  const lines = (await readFile(path.join(context.root, 'native', 'test', file), 'utf8')).split('\n');
  const bugs = lines.flatMap((text, index) => {
    const [, name, report] = /\/\/ planted ([\w-]+): (.+)$/.exec(text) ?? [];
    return name === undefined || report === undefined ? [] : [{ name, report, file, line: index + 1 }];
  });
  return { library: `${plugin}_planted.so`, bugs };
}

async function inspect(context: StageContext, file: string, withSymbols: string): Promise<Elf> {
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const script = path.join(context.root, 'stages', 'build-native', 'inspect_elf.py');
  const { stdout } = await context.exec(path.join(tools.dir, tools.value.python), [script, file, withSymbols], {
    echo: false,
  });
  return JSON.parse(stdout) as Elf;
}

/** The entry points of PJRT, of the helper and of XLA's FFI. */
const EXPORTS = 'GetPjrtApi,IreePjrtServeCompiler,XLA_FFI_GetApi';

/** Fails for a shipped plugin that lacks a protection. */
export function checkHardening({ hardening }: Elf, library: string): void {
  const missing = Object.entries(hardening).filter(([, there]) => there !== true);
  if (missing.length === 0) return;
  fail({
    kind: 'integrity',
    message: `${library} is not protected as a shipped library has to be`,
    file: library,
    wanted: Object.keys(hardening).join(', '),
    found: `no ${missing.map(([name]) => name).join(', no ')}`,
    help: 'native/cmake/hardening.cmake holds the flags',
  });
}

/**
 * Fails for a plugin that exports more than its entry points, or needs a newer glibc than its tag says. A tag such as
 * `linux_x86_64` says nothing of glibc: the wheel is for the machine that built it.
 */
export function checkElf(elf: Elf, library: string, platform: string): void {
  if (elf.exports.join() !== EXPORTS) {
    fail({
      kind: 'integrity',
      message: `${library} exports the wrong symbols`,
      file: library,
      wanted: EXPORTS,
      found: elf.exports.join(', ') || '(none)',
      help: 'native/src/api/exports.lds lists what is exported',
    });
  }
  if (!platform.startsWith('manylinux_')) return;
  const [, major = 0, minor = 0] = (/^manylinux_(\d+)_(\d+)_/.exec(platform) ?? []).map(Number);
  const [neededMajor = 0, neededMinor = 0] = elf.glibc.split('.').map(Number);
  if (neededMajor > major || (neededMajor === major && neededMinor > minor)) {
    fail({
      kind: 'integrity',
      message: `${library} needs a newer glibc than its wheel tag promises`,
      file: library,
      wanted: `glibc ${major}.${minor} or older`,
      found: `glibc ${elf.glibc}`,
    });
  }
}
