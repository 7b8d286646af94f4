// SPDX-License-Identifier: Apache-2.0
/** Sets of versions that cannot work: both who installs and the plugin itself must say so. */
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { ToolsArtifact } from '../artifacts.js';
import { channelArgs, channelOf } from '../lib/channels.js';
import { familyOf, networkFailure } from '../lib/client-failure.js';
import type { Barrier } from '../lib/matrix/grid.js';
import { pythonOf } from '../lib/testing/launcher.js';
import { ANY_EXIT_CODE } from '../lib/exit-codes.js';
import { freshShell } from '../lib/testing/wheel-env.js';
import type { Cell, CellOptions, WheelFile } from './cell.js';
import { forced, packagesOf } from './environment.js';
import { lineOf, NO_TESTS, tailOf, type Verdict } from './verdict.js';

type Context = StageContext<CellOptions>;
type Barred = Cell & { readonly barrier: Barrier };

/** Barriers that an installer can be made to ignore: the plugin then has the last word. */
const FORCEABLE: readonly Barrier[] = ['compiler-release', 'refused-jaxlib'];

export async function proveRefusal(
  context: Context,
  cell: Barred,
  wheel: WheelFile,
  python: string | undefined,
): Promise<Verdict> {
  const forceable = FORCEABLE.includes(cell.barrier);
  if (forceable && python === undefined) {
    return { ...NO_TESTS, result: 'not-run', kind: 'python', reason: `Python ${cell.python} was not found` };
  }
  const installer = await askInstaller(context, cell, wheel);
  if (installer.said === undefined) return notRefused(context, 'pip installs it', installer.output);
  if (!forceable || python === undefined) return refused(context, cell, installer.said, installer.output);
  const plugin = await askPlugin(context, cell, wheel, python);
  const output = `${installer.output}\n${plugin.output}`;
  if (plugin.said === undefined)
    return notRefused(context, 'forced with --no-deps, the plugin does not say why', output);
  return { ...refused(context, cell, plugin.said, output), versions: plugin.versions };
}

function refused(context: Context, { barrier }: Barred, said: string, output: string): Verdict {
  const [reason, logTail] = [lineOf(context, said), tailOf(context, output)];
  return { ...NO_TESTS, result: 'refused', kind: barrier, reason, logTail };
}

function notRefused(context: Context, reason: string, output: string): Verdict {
  return { ...NO_TESTS, result: 'fails', kind: 'not-refused', reason, logTail: tailOf(context, output) };
}

interface Answer {
  /** What refuses, in its own words; undefined if it does not, or does not say. */
  readonly said: string | undefined;
  readonly output: string;
}

async function askInstaller(context: Context, cell: Cell, wheel: WheelFile): Promise<Answer> {
  context.progress('ask pip');
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const target = ['--target', path.join(context.tempDir, 'never-written'), '--only-binary=:all:'];
  const { requirements } = await packagesOf(context, cell);
  const question = ['install', '--dry-run', '--ignore-installed', '--python-version', cell.python, ...target];
  const args = ['-m', 'pip', ...question, ...channelArgs(channelOf(context), 'pip'), wheel.path, ...requirements];
  const { exitCode, stdout, stderr } = await context.exec(path.join(tools.dir, tools.value.python), args, {
    env: { PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    okCodes: ANY_EXIT_CODE,
  });
  const output = `${stdout}\n${stderr}`;
  const said = exitCode === 0 ? undefined : installerSays(output);
  if (exitCode !== 0 && said === undefined && familyOf(output) === 'network')
    throw networkFailure(requirements.join(', '), output.slice(-1000));
  return { said, output };
}

/** The line of pip's answer that names the versions. */
export function installerSays(output: string): string | undefined {
  const conflict = /^ +(\S+ \S+ depends on .*)$/m.exec(output)?.[1];
  const missing = /^ERROR: (No matching distribution found for .*|Package .* requires a different Python: .*)$/m.exec(
    output,
  )?.[1];
  return conflict ?? missing;
}

interface PluginAnswer extends Answer {
  /** What is installed beside it. */
  readonly versions: Readonly<Record<string, string>>;
}

async function askPlugin(context: Context, cell: Cell, wheel: WheelFile, python: string): Promise<PluginAnswer> {
  context.progress('ask the plugin');
  const environment = await forced(context, cell, wheel, python);
  const [command, ...first] = pythonOf(context, environment.python);
  const names = ['jax', 'jaxlib', cell.compilerPackage];
  const program = [
    'import json, jax',
    'from importlib.metadata import version',
    `print(json.dumps({name: version(name) for name in ${JSON.stringify(names)}}), flush=True)`,
    `jax.devices(${JSON.stringify(wheel.platform)})`,
  ].join('\n');
  const { exitCode, stdout, stderr } = await context.exec(command, [...first, '-c', program], {
    cwd: context.tempDir,
    env: freshShell(path.join(context.tempDir, 'cache')),
    okCodes: ANY_EXIT_CODE,
  });
  return {
    said: exitCode === 0 ? undefined : pluginSays(stderr, wheel),
    output: `${stdout}\n${stderr}`,
    versions: versionsIn(stdout),
  };
}

/** The line of JSON; none if JAX could not even be imported. */
export function versionsIn(stdout: string): Readonly<Record<string, string>> {
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  return line === undefined ? {} : (JSON.parse(line) as Readonly<Record<string, string>>);
}

/** The plugin's sentence, without JAX's own words around it. */
export function pluginSays(stderr: string, { name, version }: Pick<WheelFile, 'name' | 'version'>): string | undefined {
  const start = stderr.lastIndexOf(`${name} ${version} works with `);
  if (start < 0) return undefined;
  return stderr
    .slice(start)
    .split('\n')[0]
    ?.replace(/\. Available backends are .*$/, '');
}
