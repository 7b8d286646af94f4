// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Artifact } from '../engine/api.js';
import { ArtifactFolders } from '../engine/results/artifact-dir.js';
import { fail } from '../engine/failure.js';
import type { ToolsArtifact } from '../stages/artifacts.js';
import type { Pass } from '../stages/obsolete-rewrites/passes.js';
import { askPython } from './ask-python.js';
import { type CommandContext, findRoot, print, printJson } from './context.js';
import type { Options } from './options.js';

const TIMEOUT_MS = 3 * 60_000;

/** What plugin_info.py says of one file. */
export type PluginInfo = { readonly file: string } & (Facts | { readonly error: string });

interface Facts {
  readonly name?: string;
  readonly version?: string;
  readonly tags?: readonly string[];
  readonly requires?: readonly string[];
  readonly size?: number;
  readonly library_size: number;
  readonly exports?: readonly string[];
  readonly needed?: readonly string[];
  readonly glibc?: string;
  readonly pjrt_api: string;
  readonly extensions: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  /** null: the plugin does not say. */
  readonly unimplemented: readonly { readonly function: string; readonly reason: string }[] | null;
  /** The passes over programs, in their order; null: the plugin does not say. */
  readonly passes: readonly Pass[] | null;
}

/** Prints what wheels or libraries say of themselves, asked through the C API. */
export async function run(
  context: CommandContext,
  args: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const named = args.filter((file) => file !== undefined).map((file) => resolve(context.folder, file));
  const files = named.length > 0 ? named : await builtWheels(findRoot(context.folder));
  const found = (
    await askPython<PluginInfo[]>(context, {
      python: pythonOf(context),
      script: 'plugin_info.py',
      args: files,
      timeoutMs: TIMEOUT_MS,
    })
  ).map((info) => ({ ...info, file: relative(context.cwd, info.file) }));
  if (options.flag('json')) printJson(context, found);
  else {
    const lines = options.flag('passes') ? describePasses : describe;
    for (const info of found) print(context, 'error' in info ? [] : [...lines(info), '']);
  }
  const wrong = found.filter((info) => 'error' in info);
  if (wrong.length > 0) {
    fail({
      kind: 'usage',
      message: wrong.map(({ file, error }) => `${file}: ${error}`).join('\n'),
      help: 'it takes wheels that the pipeline made (dist/*.whl) and PJRT plugin libraries (*.so)',
    });
  }
  return 0;
}

/** The wheels that the last run made. Fails with `usage` if there are none. */
async function builtWheels(root: string): Promise<string[]> {
  const folder = join(root, 'dist');
  const names = existsSync(folder) ? await readdir(folder) : [];
  const wheels = names.filter((name) => name.endsWith('.whl')).sort();
  if (wheels.length > 0) return wheels.map((name) => join(folder, name));
  return fail({
    kind: 'usage',
    message: `there is no wheel in ${folder}`,
    help: 'npx pipeline run release makes one; or name a file: npx pipeline plugin-info plugin.so',
  });
}

/** The pipeline's own Python, which can read ELF files; before its first run, the one on the path. */
function pythonOf(context: CommandContext): string {
  const folders = new ArtifactFolders(join(findRoot(context.folder), '.pipeline'));
  const tools = folders.latest('setup-tools')?.artifact as Artifact<ToolsArtifact> | undefined;
  const python = tools && join(tools.dir, tools.value.python);
  return python !== undefined && existsSync(python) ? python : 'python3';
}

export function describe(info: { readonly file: string } & Facts): string[] {
  const attributes = Object.entries(info.attributes).map(([name, value]) => row(name, text(value)));
  const list = (names: readonly string[] | undefined) => (names && names.length > 0 ? names.join(', ') : 'none');
  return [
    info.file,
    ...(info.name === undefined ? [] : [row('wheel', `${info.name} ${info.version ?? ''}`)]),
    ...(info.tags ? [row('tags', list(info.tags))] : []),
    ...(info.requires ? [row('requires', list(info.requires))] : []),
    ...(info.size === undefined ? [] : [row('size', `${info.size} bytes`)]),
    row('library', `${info.library_size} bytes`),
    ...(info.exports ? [row('exports', list(info.exports)), row('needs', list(info.needed))] : []),
    ...(info.glibc === undefined ? [] : [row('glibc', info.glibc)]),
    row('PJRT C API', info.pjrt_api),
    row('extensions', list(info.extensions)),
    ...attributes,
    ...unimplemented(info.unimplemented),
  ];
}

/** The passes over programs, a phase after the other. */
export function describePasses(info: { readonly file: string } & Facts): string[] {
  if (info.passes === null) return [info.file, '  the plugin does not say'];
  const phases = [...new Set(info.passes.map(({ phase }) => phase))];
  return [
    info.file,
    ...phases.flatMap((phase) => [
      `  ${phase}`,
      ...(info.passes ?? [])
        .filter((pass) => pass.phase === phase)
        .flatMap((pass) => [`    ${pass.name}${neededBy(pass)}`, `        ${pass.why}`]),
    ]),
  ];
}

function neededBy({ releases, targets }: Pass): string {
  const parts = [...(releases ? [`${releases} of IREE`] : []), ...(targets ? [`for ${targets}`] : [])];
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function unimplemented(list: Facts['unimplemented']): string[] {
  if (list === null) return [row('unimplemented', 'the plugin does not say')];
  return [
    row('unimplemented', `${list.length} functions`),
    ...list.map(({ function: name, reason }) => `    PJRT_${name}: ${reason}`),
  ];
}

function text(value: unknown): string {
  if (Array.isArray(value)) return value.join('.');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function row(name: string, value: string): string {
  return `  ${`${name}:`.padEnd(35)}${value}`;
}
