// SPDX-License-Identifier: Apache-2.0
import { delimiter, join } from 'node:path';
import type { Artifact } from '../engine/api.js';
import { ArtifactFolders } from '../engine/artifact-dir.js';
import { fail } from '../engine/failure.js';
import { makePlan } from '../engine/plan.js';
import type { JaxArtifact, NativeArtifact, ToolsArtifact } from '../stages/artifacts.js';
import { type CommandContext, openProject, print, printJson } from './context.js';
import type { OptionValues } from './declarations.js';

/** Results that the lines are made of; those that were never made are undefined. */
export interface EnvSources {
  readonly device: string;
  readonly native: { readonly value: NativeArtifact; readonly dir: string };
  readonly tools: { readonly value: ToolsArtifact; readonly dir: string } | undefined;
  readonly jax: { readonly value: JaxArtifact; readonly dir: string } | undefined;
}

/** Prints `export` lines, so that JAX finds the library as it was last built, without a wheel. */
export async function run(
  context: CommandContext,
  [variant = '']: readonly (string | undefined)[],
  options: OptionValues,
): Promise<number> {
  const project = await openProject(context);
  const plan = await makePlan(project.config, { variants: [variant] }, context.loadStage);
  const folders = new ArtifactFolders(project.stateDir);
  const latest = (uses: string): Artifact | undefined => {
    const node = plan.nodes.find((candidate) => candidate.definition.name === uses);
    return node && folders.latest(node.id)?.artifact;
  };
  const native = latest('build-native') as Artifact<NativeArtifact> | undefined;
  if (!native) {
    fail({
      kind: 'usage',
      message: `the library for '${variant}' has not been built yet`,
      help: `run \`npx pipeline run --until build-native --variant ${variant}\` first`,
    });
  }
  const device = native.variant.axes['device'] ?? variant;
  const tools = latest('setup-tools') as Artifact<ToolsArtifact> | undefined;
  const jax = latest('setup-jax') as Artifact<JaxArtifact> | undefined;
  const variables = envOf({ device, native, tools, jax }, context.env);
  if (options['json'] === true) printJson(context, variables);
  else
    print(
      context,
      Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}`),
    );
  return 0;
}

export function envOf(
  { device, native, tools, jax }: EnvSources,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const prepend = (name: string, ...folders: string[]): Record<string, string> => {
    const kept = (env[name] ?? '').split(delimiter).filter((part) => part !== '' && !folders.includes(part));
    return folders.length === 0 ? {} : { [name]: [...folders, ...kept].join(delimiter) };
  };
  return {
    PJRT_NAMES_AND_LIBRARY_PATHS: `iree_${device}:${join(native.dir, native.value.library)}`,
    ...(jax ? { IREE_PJRT_COMPILER_LIB_PATH: join(jax.dir, jax.value.compilerLibrary) } : {}),
    ...prepend('PATH', ...(tools ? [join(tools.dir, tools.value.bin)] : [])),
  };
}

/** Quoted for a POSIX shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
