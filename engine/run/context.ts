// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { Artifact, ExecOptions, Forecast, InputContext, ProjectConfig, StageContext } from '../api.js';
import { byCodeUnit } from '../base/canonical-json.js';
import { fail } from '../failure.js';
import type { PlanNode } from '../plan/plan.js';
import { childEnv, commandLine, runCommand, type ChildLedger } from '../machine/process.js';
import { settingsFor } from '../plan/settings.js';

export interface InputSources {
  readonly node: PlanNode;
  readonly root: string;
  readonly config: ProjectConfig;
  readonly settings: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Artifacts of the nodes that `needs` names, in its order. */
  readonly upstream: readonly Artifact[];
  /** Gives the same answer each time, as it may be part of the key. */
  readonly forecast: () => Forecast;
}

/** A function that is called once, whoever asks. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

export function inputContext(from: InputSources): InputContext {
  const { node, root, config, settings } = from;
  const visible = ['PATH', 'HOME', ...(node.definition.env ?? [])];
  return {
    root,
    options: node.options,
    variant: node.variant,
    config,
    settings: settingsFor(node, settings),
    env: Object.fromEntries(visible.map((name) => [name, from.env[name]])),
    glob: (folder, patterns) => globFiles(path.resolve(root, folder), patterns ?? ['**']),
    artifact: <T>(stage: string) => oneArtifact(from, stage) as Artifact<T>,
    artifacts: <T>(stage: string) => artifactsOf(from, stage) as readonly Artifact<T>[],
    forecast: from.forecast,
  };
}

/** Paths of files below `folder`, in an order that is the same everywhere. Linked files count, linked folders are not entered. */
async function globFiles(folder: string, patterns: readonly string[]): Promise<readonly string[]> {
  const { globSync } = await import('tinyglobby');
  const found = globSync([...patterns], {
    cwd: folder,
    dot: true,
    onlyFiles: true,
    expandDirectories: false,
    followSymbolicLinks: false,
  });
  return found.map((file) => path.join(folder, file)).sort(byCodeUnit);
}

function artifactsOf(from: InputSources, stage: string): readonly Artifact[] {
  const { node, upstream } = from;
  const agrees = (artifact: Artifact): boolean =>
    Object.entries(artifact.variant.axes).every(([axis, value]) => (node.variant.axes[axis] ?? value) === value);
  const found = upstream.filter((artifact) => artifact.stage === stage);
  if (found.length > 0) return found.filter(agrees);
  return fail({
    kind: 'usage',
    message: `Stage ${node.stage} reads the result of ${stage}, which it does not need`,
    help: `Add ${stage} to \`needs\` of ${node.stage} in pipeline.yaml.`,
  });
}

function oneArtifact(from: InputSources, stage: string): Artifact {
  const found = artifactsOf(from, stage);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  return fail({
    kind: 'usage',
    message: `Stage ${from.node.stage} reads one result of ${stage}, but ${found.length} of its variants fit ${from.node.id}`,
  });
}

export interface StageSources {
  readonly inputs: InputSources;
  readonly dirs: { readonly outDir: string; readonly workDir: string; readonly tempDir: string };
  readonly signal: AbortSignal;
  readonly locked: boolean;
  readonly jobs: number;
  readonly logFile: string;
  readonly ledger: ChildLedger;
  /** Told of each program that is started; the promise settles when it has ended. */
  readonly onStart?: (program: Promise<unknown>) => void;
  /** Told whenever a program prints something, whether it is shown or not. */
  readonly onOutput: () => void;
  readonly onLine: (stream: 'stdout' | 'stderr' | 'log', line: string) => void;
  readonly onProgress: (text: string) => void;
  readonly onWarning: (text: string) => void;
}

export function stageContext(from: StageSources): StageContext {
  const { root, env } = from.inputs;
  const exec = (command: string, args: readonly string[], options: ExecOptions = {}) => {
    from.onLine('log', `$ ${commandLine({ command, args })}`);
    const program = runCommand({
      command,
      args,
      cwd: options.cwd === undefined ? root : path.resolve(root, options.cwd),
      env: { ...childEnv(env), ...options.env },
      options,
      signal: from.signal,
      onOutput: from.onOutput,
      onLine: from.onLine,
      log: from.logFile,
      ledger: from.ledger,
    });
    from.onStart?.(program);
    return program;
  };
  return {
    ...inputContext(from.inputs),
    ...from.dirs,
    signal: from.signal,
    locked: from.locked,
    jobs: from.jobs,
    exec,
    log: (line) => {
      from.onLine('log', line);
    },
    progress: from.onProgress,
    warn: from.onWarning,
  };
}
