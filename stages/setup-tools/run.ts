// SPDX-License-Identifier: Apache-2.0
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { ToolsArtifact } from '../artifacts.js';
import { clientFailure, networkFailure, outputOf } from '../lib/client-failure.js';
import { hostMachine, probePython, pythonCandidates, minorNumber, type PythonInterpreter } from '../lib/pythons.js';
import { uvEnvironment } from '../lib/uv-settings.js';
import { LOWEST_MINOR } from './python-tool.js';

export interface ToolsOptions {
  readonly requirements: readonly string[];
}

/** The pipeline itself needs these in the environment, named in the options or not. */
const ALWAYS = ['uv', 'pip'] as const;

/** System Python → bootstrap environment with uv → the tools, in a folder that may be moved. */
export async function setupTools(context: StageContext<ToolsOptions>): Promise<ToolsArtifact> {
  const python = await choosePython(context);
  context.log(`Python ${python.version} at ${python.path}`);
  const boot = await bootstrap(context, python);
  context.progress('install');
  const env = await uvEnvironment(context, boot.python);
  const requirements = withAlways(context.options.requirements);
  try {
    await context.exec(boot.uv, ['venv', '--quiet', '--relocatable', '--python', python.path, ...clear(context)], {
      env,
    });
    await context.exec(boot.uv, ['pip', 'install', '--python', target(context), ...requirements], { env });
  } catch (error) {
    throw clientFailure(error, `the tools (${context.options.requirements.join(', ')})`);
  }
  const modules = await modulesFolder(context);
  await compilePip(context, modules);
  return describe(context, boot.uv, env, modules);
}

/** Where the environment's packages lie, absolute. */
async function modulesFolder(context: StageContext<ToolsOptions>): Promise<string> {
  const purelib = 'import sysconfig; print(sysconfig.get_path("purelib"))';
  const { stdout } = await context.exec(target(context), ['-c', purelib], { echo: false });
  return stdout.trim();
}

/**
 * pip's own modules, the only ones that are asked again and again: 0.4 s a question. By hash and with relative names,
 * so that the same tools have the same bytes wherever they are made.
 */
async function compilePip(context: StageContext<ToolsOptions>, modules: string): Promise<void> {
  const bytecode = ['-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash', '-s', modules];
  await context.exec(target(context), [...bytecode, path.join(modules, 'pip')], { echo: false });
}

/** The first Python that will do: PIPELINE_PYTHON before python3 before python3.N. */
async function choosePython(context: StageContext<ToolsOptions>): Promise<PythonInterpreter> {
  const seen: string[] = [];
  for (const candidate of await pythonCandidates(context.env)) {
    const found = await probePython(context, candidate);
    if (!found) continue;
    if (found.machine !== hostMachine()) seen.push(`${candidate} is for ${found.machine}`);
    else if (minorNumber(found.minor) < LOWEST_MINOR) seen.push(`${candidate} is ${found.version}`);
    else if (!found.venv || !found.ensurepip) seen.push(`${candidate} (${found.version}) has no venv module`);
    else return found;
  }
  const noVenv = seen.some((line) => line.includes('no venv'));
  return fail({
    kind: 'tool-missing',
    message: noVenv
      ? `no Python that can make virtual environments: ${seen.join('; ')}`
      : `no Python 3.${LOWEST_MINOR} or newer was found${seen.length === 0 ? '' : `: ${seen.join('; ')}`}`,
    help: noVenv
      ? 'install python3-venv (Debian, Ubuntu: apt install python3-venv), or name another Python in PIPELINE_PYTHON'
      : 'install one with venv (Debian, Ubuntu: apt install python3 python3-venv), or name it in PIPELINE_PYTHON',
  });
}

interface Boot {
  readonly python: string;
  readonly uv: string;
}

/** Installs uv with the user's own pip settings into a throw-away environment. */
async function bootstrap(context: StageContext<ToolsOptions>, system: PythonInterpreter): Promise<Boot> {
  const folder = path.join(context.tempDir, 'bootstrap');
  const python = path.join(folder, 'bin', 'python');
  const uv = context.options.requirements.find((requirement) => nameOf(requirement) === 'uv') ?? 'uv';
  context.progress(`fetch ${uv}`);
  try {
    // A pip of its own would take five seconds to install.
    const pip = system.pip ? ['--without-pip', '--system-site-packages'] : [];
    await context.exec(system.path, ['-m', 'venv', ...pip, folder], { help: 'install python3-venv' });
    // Nowhere but here, whatever the system or the user's settings have.
    const here = ['--ignore-installed', '--no-user'];
    await context.exec(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...here, uv]);
  } catch (error) {
    // uv is on every registry: none at all means that none was reached.
    if (/\(from versions: none\)/.test(outputOf(error))) throw networkFailure(uv, outputOf(error));
    throw clientFailure(error, uv);
  }
  return { python, uv: path.join(folder, 'bin', 'uv') };
}

/** The engine has made the folder already. */
function clear(context: StageContext<ToolsOptions>): string[] {
  return ['--allow-existing', context.outDir];
}

function target(context: StageContext<ToolsOptions>): string {
  return path.join(context.outDir, 'bin', 'python');
}

export function withAlways(requirements: readonly string[]): string[] {
  const named = new Set(requirements.map(nameOf));
  return [...requirements, ...ALWAYS.filter((name) => !named.has(name))];
}

/** The normalised name of a requirement, by the rule of the Simple Repository API. */
export function nameOf(requirement: string): string {
  return (/^[A-Za-z0-9._-]+/.exec(requirement)?.[0] ?? requirement).toLowerCase().replace(/[-_.]+/g, '-');
}

async function describe(
  context: StageContext<ToolsOptions>,
  uv: string,
  env: Record<string, string>,
  modules: string,
): Promise<ToolsArtifact> {
  const list = await context.exec(uv, ['pip', 'list', '--format', 'json', '--python', target(context)], {
    echo: false,
    env,
  });
  const packages = JSON.parse(list.stdout) as readonly { readonly name: string; readonly version: string }[];
  const zig = path.join(modules, 'ziglang', 'zig');
  const hasZig = await access(zig).then(
    () => true,
    () => false,
  );
  return {
    python: 'bin/python',
    bin: 'bin',
    zig: hasZig ? path.relative(context.outDir, zig) : '',
    versions: Object.fromEntries(packages.map(({ name, version }) => [nameOf(name), version])),
  };
}
