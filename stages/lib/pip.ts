// SPDX-License-Identifier: Apache-2.0
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail, PipelineFailure } from '../../engine/failure.js';
import type { ToolsArtifact } from '../artifacts.js';
import { channelArgs, channelOf, type Channel } from './channels.js';
import { clientFailure, familyOf, networkFailure, outputOf } from './client-failure.js';

type Runner = Pick<StageContext, 'exec' | 'tempDir' | 'signal' | 'log'>;

/** pip of some environment, with the extra links of the channel. */
export interface PipClient extends Runner {
  readonly python: string;
  readonly channel: Channel;
}

/** What a registry has for a requirement, as `pip install --dry-run --report` says it. */
export interface Distribution {
  readonly name: string;
  readonly version: string;
  /** File name of the wheel. */
  readonly file: string;
  readonly url: string;
  /** Undefined where the source states none, e.g. a folder of wheels. */
  readonly sha256?: string;
  readonly requires: readonly string[];
}

/** The registry answered, and has nothing that fits. */
export interface NoDistribution {
  /** Versions that it has for this Python, oldest first. */
  readonly versions: readonly string[];
}

/**
 * Without it pip downloads the wheel, hundreds of megabytes of tensorflow-cpu, wherever an index lacks the metadata of
 * PEP 658, as most mirrors do; with it, it reads the wheel's end by a range request.
 */
const METADATA_ALONE = ['--use-feature=fast-deps'];

interface PipReport {
  readonly install: readonly {
    readonly download_info: {
      readonly url: string;
      readonly archive_info?: { readonly hashes?: Record<string, string> };
    };
    readonly metadata: { readonly name: string; readonly version: string; readonly requires_dist?: readonly string[] };
  }[];
}

/** pip of the tools environment. */
export function pipOf(context: StageContext<{ readonly channel?: string }>): PipClient {
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  return {
    exec: (command, args, options) => context.exec(command, args, options),
    log: (line) => {
      context.log(line);
    },
    tempDir: context.tempDir,
    signal: context.signal,
    python: path.join(tools.dir, tools.value.python),
    channel: channelOf(context),
  };
}

/** The newest wheel that `requirement` allows for `python` (`major.minor`) on this kind of machine. */
export async function findDistribution(
  pip: PipClient,
  requirement: string,
  python: string,
): Promise<Distribution | NoDistribution> {
  const args = ['install', '--dry-run', '--no-deps', '--ignore-installed', '--quiet', '--report', '-'];
  const question = [...args, ...METADATA_ALONE, ...targetArgs(pip, python), requirement];
  try {
    const { stdout } = await runPip(pip, question);
    return distributionOf(requirement, JSON.parse(stdout) as PipReport);
  } catch (error) {
    return missingOf(pip, { requirement, question }, error);
  }
}

/** What pip asked a registry for. */
export interface Question {
  readonly requirement: string;
  /** Arguments of pip. */
  readonly question: readonly string[];
}

/** What a question that failed says of the registry; fails itself if the registry gave no answer. */
export async function missingOf(
  pip: PipClient,
  { requirement, question }: Question,
  error: unknown,
): Promise<NoDistribution> {
  const missing = error instanceof PipelineFailure ? noDistribution(outputOf(error)) : undefined;
  if (missing && (missing.versions.length > 0 || !(await isOffline(pip, question)))) return missing;
  throw missing ? unreachable(requirement) : clientFailure(error, `the registry's entry of ${requirement}`);
}

/** pip says "from versions: none" both of what does not exist and, unless it retries, of a registry it cannot reach. */
async function isOffline(pip: PipClient, question: readonly string[]): Promise<boolean> {
  try {
    await runPip(pip, [...question, '--retries', '1']);
    return false;
  } catch (error) {
    return familyOf(outputOf(error)) === 'network';
  }
}

function unreachable(requirement: string): PipelineFailure {
  return networkFailure(`the registry's entry of ${requirement}`, 'pip found no version at all');
}

/** Downloads the wheel of an exact requirement into `folder`; returns its path. */
export async function downloadWheel(
  pip: PipClient,
  requirement: string,
  python: string,
  folder: string,
): Promise<string> {
  try {
    await runPip(pip, [
      'download',
      '--no-deps',
      '--quiet',
      '--dest',
      folder,
      ...targetArgs(pip, python, false),
      requirement,
    ]);
  } catch (error) {
    throw clientFailure(error, requirement);
  }
  const [wheel] = (await readdir(folder)).filter((file) => file.endsWith('.whl'));
  if (wheel === undefined) throw new Error(`pip download ${requirement} left no wheel in ${folder}`);
  return path.join(folder, wheel);
}

export function isDistribution(found: Distribution | NoDistribution): found is Distribution {
  return 'url' in found;
}

export async function runPip(pip: PipClient, args: readonly string[]): ReturnType<StageContext['exec']> {
  try {
    return await pip.exec(pip.python, ['-m', 'pip', ...args], {
      echo: false,
      env: { PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    });
  } catch (error) {
    if (/No module named pip\b/.test(outputOf(error))) {
      fail({
        kind: 'tool-missing',
        message: 'the tools environment has no pip',
        help: 'add `pip==VERSION` to the requirements of setup-tools in pipeline.yaml',
      });
    }
    throw error;
  }
}

/**
 * Arguments that ask for another Python than the one that runs pip. pip then insists on `--target`, to which nothing is
 * written.
 */
function targetArgs(pip: PipClient, python: string, install = true): string[] {
  const target = install ? ['--target', path.join(pip.tempDir, 'never-written')] : [];
  return ['--python-version', python, '--only-binary=:all:', ...target, ...channelArgs(pip.channel, 'pip')];
}

function noDistribution(output: string): NoDistribution | undefined {
  const match = /Could not find a version that satisfies the requirement .*\(from versions: (.*)\)/.exec(output);
  if (!match) return undefined;
  const versions = (match[1] ?? '').split(', ').filter((version) => version !== '' && version !== 'none');
  // If pip found nothing at all, a broken connection is the likelier cause: pip reports both in the same words.
  return versions.length === 0 && familyOf(output) === 'network' ? undefined : { versions };
}

function distributionOf(requirement: string, report: PipReport): Distribution {
  const [item] = report.install;
  if (!item) throw new Error(`pip's report for ${requirement} is empty`);
  const { url, archive_info: archive } = item.download_info;
  const sha256 = archive?.hashes?.['sha256'];
  return {
    name: item.metadata.name,
    version: item.metadata.version,
    file: decodeURIComponent(path.posix.basename(new URL(url).pathname)),
    url,
    ...(sha256 === undefined ? {} : { sha256 }),
    requires: item.metadata.requires_dist ?? [],
  };
}

/** Those of `pythons` for which the registry has a wheel of exactly this version. Fails if there is none for any. */
export async function pythonsWith(
  pip: PipClient,
  name: string,
  version: string,
  pythons: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  const others = new Set<string>();
  for (const python of pythons) {
    const hit = await findDistribution(pip, `${name}==${version}`, python);
    if (isDistribution(hit)) found.push(python);
    else for (const other of hit.versions) others.add(other);
  }
  if (found.length > 0) return found;
  return fail({
    kind: 'resolution',
    message: `the registry has no ${name} ${version} for Python ${pythons.join(', ')}`,
    detail: `it has ${[...others].join(', ') || 'none at all'}`,
  });
}
