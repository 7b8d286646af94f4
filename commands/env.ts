// SPDX-License-Identifier: Apache-2.0
import { delimiter, join } from 'node:path';
import type { Artifact } from '../engine/api.js';
import { ArtifactFolders } from '../engine/artifact-dir.js';
import { fail } from '../engine/failure.js';
import { makePlan } from '../engine/plan.js';
import type { JaxArtifact, NativeArtifact, PackagesArtifact, ToolsArtifact } from '../stages/artifacts.js';
import { type CommandContext, openProject, print, printJson } from './context.js';
import type { OptionValues } from './declarations.js';

/** Results that the lines are made of, as they were last made; all but the library may be missing. */
export interface EnvSources {
  /** Value of the axis `device`, for want of a rendered package that names its platform. */
  readonly device: string;
  readonly native: Made<NativeArtifact>;
  readonly packages: Made<PackagesArtifact> | undefined;
  readonly tools: Made<ToolsArtifact> | undefined;
  readonly jax: Made<JaxArtifact> | undefined;
}
type Made<T> = Pick<Artifact<T>, 'value' | 'dir'>;

/** Prints `export` lines, so that JAX finds the library as it was last built, without a wheel. */
export async function run(
  context: CommandContext,
  [variant = '']: readonly (string | undefined)[],
  options: OptionValues,
): Promise<number> {
  const project = await openProject(context);
  const plan = await makePlan(project.config, { variants: [variant] }, context.loadStage);
  const folders = new ArtifactFolders(project.stateDir);
  // Of several variants that match, the first in the order of pipeline.yaml.
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
  };
  const variables = envOf(sources, context.env);
  if (options['json'] === true) printJson(context, variables);
  else {
    const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}`);
    print(context, lines);
  }
  return 0;
}

export function envOf(
  { device, native, packages, tools, jax }: EnvSources,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const library = join(native.dir, native.value.library);
  const platform = packages?.value.packages[0]?.platform ?? `iree_${device}`;
  const sources = (packages?.value.packages ?? []).map((entry) => join(packages?.dir ?? '', entry.folder, 'src'));
  return {
    PJRT_NAMES_AND_LIBRARY_PATHS: `${platform}:${library}`,
    ...(jax ? { IREE_PJRT_COMPILER_LIB_PATH: join(jax.dir, jax.value.compilerLibrary) } : {}),
    ...(sources.length > 0 ? { PYTHONPATH: joinOnce([...sources, ...parts(env['PYTHONPATH'])]) } : {}),
    // Last, so that a Python environment that the developer has entered stays in force.
    ...(tools ? { PATH: joinOnce([...parts(env['PATH']), join(tools.dir, tools.value.bin)]) } : {}),
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
