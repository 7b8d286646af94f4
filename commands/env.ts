// SPDX-License-Identifier: Apache-2.0
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Artifact } from '../engine/api.js';
import { ArtifactFolders } from '../engine/results/artifact-dir.js';
import { fail } from '../engine/failure.js';
import { makePlan } from '../engine/plan/plan.js';
import type {
  JaxArtifact,
  NativeArtifact,
  PackagesArtifact,
  ResolveArtifact,
  SourcesArtifact,
  ToolsArtifact,
} from '../stages/artifacts.js';
import { resolvedIree } from '../stages/lib/locked-iree.js';
import { type CommandContext, openProject, print, printJson } from './context.js';
import type { Options } from './options.js';

/** The last results of the stages that the lines are made of; all but the library may be missing. */
export interface EnvSources {
  /** Value of the axis `device`, used where no rendered package names the platform. */
  readonly device: string;
  readonly native: Made<NativeArtifact>;
  readonly packages: Made<PackagesArtifact> | undefined;
  readonly tools: Made<ToolsArtifact> | undefined;
  readonly jax: Made<JaxArtifact> | undefined;
  readonly sources: Made<SourcesArtifact> | undefined;
  readonly resolved: Made<ResolveArtifact> | undefined;
}
type Made<T> = Pick<Artifact<T>, 'value' | 'dir' | 'variant'>;

/** Prints `export` lines, so that JAX finds the library as it was last built, without a wheel. */
export async function run(
  context: CommandContext,
  [variant = '']: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const project = await openProject(context);
  const plan = await makePlan(project.config, { root: project.root, variants: [variant] }, context.loadStage);
  const folders = new ArtifactFolders(project.stateDir);
  // Of several variants that match, the first one in pipeline.yaml counts.
  const latest = (uses: string): Artifact | undefined => {
    const node = plan.nodes.find((candidate) => candidate.definition.name === uses);
    return node && folders.latest(node.id)?.artifact;
  };
  const native = latest('build-native') as Artifact<NativeArtifact> | undefined;
  if (!native) {
    fail({
      kind: 'usage',
      message: `the library for '${variant}' has not been built yet`,
      help: `run \`npx pipeline run --only build-native,render-packages,setup-jax --variant ${variant}\` first`,
    });
  }
  const sources: EnvSources = {
    device: native.variant.axes['device'] ?? variant,
    native,
    packages: latest('render-packages') as Artifact<PackagesArtifact> | undefined,
    tools: latest('setup-tools') as Artifact<ToolsArtifact> | undefined,
    jax: latest('setup-jax') as Artifact<JaxArtifact> | undefined,
    sources: latest('fetch-sources') as Artifact<SourcesArtifact> | undefined,
    resolved: latest('resolve-versions') as Artifact<ResolveArtifact> | undefined,
  };
  const variables = envOf(sources, context.env);
  if (options.flag('json')) printJson(context, variables);
  else {
    const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}`);
    print(context, lines);
  }
  return 0;
}

export function envOf(sources: EnvSources, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const { device, native, packages, jax } = sources;
  const library = join(native.dir, native.value.library);
  const platform = packages?.value.packages[0]?.platform ?? `iree_${device}`;
  const python = (packages?.value.packages ?? []).map((entry) => join(packages?.dir ?? '', entry.folder, 'src'));
  return {
    PJRT_NAMES_AND_LIBRARY_PATHS: `${platform}:${library}`,
    ...(jax ? { IREE_PJRT_COMPILER_LIB_PATH: join(jax.dir, jax.value.compilerLibrary) } : {}),
    ...(python.length > 0 ? { PYTHONPATH: joinOnce([...python, ...parts(env['PYTHONPATH'])]) } : {}),
    ...presetVariables(sources),
    PATH: pathOf(sources, env),
  };
}

/** A Python environment that the developer has entered stays in force; without one, `python` is the one with JAX. */
function pathOf({ jax, tools }: EnvSources, env: Readonly<Record<string, string | undefined>>): string {
  const own = [jax && join(jax.dir, dirname(jax.value.python)), tools && join(tools.dir, tools.value.bin)];
  const folders = own.filter((folder) => folder !== undefined);
  const path = parts(env['PATH']);
  return joinOnce(env['VIRTUAL_ENV'] === undefined ? [...folders, ...path] : [...path, ...folders]);
}

/** The variables that native/CMakePresets.json reads from the environment. */
function presetVariables({ native, sources, resolved, tools }: EnvSources): Record<string, string> {
  if (!sources || !resolved) return {};
  const { compiler } = resolvedIree(resolved.value, native.variant);
  return {
    IREE_PJRT_IREE_SOURCE_DIR: resolve(sources.dir, sources.value.iree),
    IREE_PJRT_HEADERS_DIR: resolve(sources.dir, sources.value.pjrtHeaders),
    IREE_PJRT_CUDA_HEADERS_DIR: resolve(sources.dir, sources.value.cudaHeaders),
    IREE_PJRT_TRACY_DIR: resolve(sources.dir, sources.value.tracy),
    IREE_PJRT_GOOGLETEST_DIR: resolve(sources.dir, sources.value.googletest),
    IREE_PJRT_DUCC_DIR: resolve(sources.dir, sources.value.ducc),
    IREE_PJRT_IREE_VERSION: sources.value.ireeVersion,
    IREE_PJRT_STABLEHLO_VERSION: compiler.stablehlo,
    ...(tools ? { IREE_PJRT_ZIG: join(tools.dir, tools.value.zig) } : {}),
  };
}

function parts(list: string | undefined): string[] {
  return (list ?? '').split(delimiter).filter((part) => part !== '');
}

/** Each folder once, where it came first: sourcing the lines again changes nothing. */
function joinOnce(folders: readonly string[]): string {
  return [...new Set(folders)].join(delimiter);
}

/** Quoted for a POSIX shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
