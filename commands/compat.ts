// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Artifact, ExecOptions } from '../engine/api.js';
import { ArtifactFolders } from '../engine/artifact-dir.js';
import { fail } from '../engine/failure.js';
import { suggest } from '../engine/nearest.js';
import { makePlan, selectNodes } from '../engine/plan.js';
import { runCommand } from '../engine/process.js';
import { cancelOnSignals } from '../engine/signals.js';
import type { ToolsArtifact } from '../stages/artifacts.js';
import type { Measurement, RowKind, measureRow as MeasureRow } from '../stages/resolve-versions/measure.js';
import { type CommandContext, type Project, openProject, print } from './context.js';
import type { OptionValues } from './declarations.js';
import { runPlan } from './run.js';

const TOOLS = 'setup-tools';
const TIMEOUT_MS = 10 * 60_000;

/** Measures one row of compat/ for real, shows what it says and how the file differs, and writes it if told to. */
export async function run(
  context: CommandContext,
  [action = '', kind = '', version = '']: readonly (string | undefined)[],
  options: OptionValues,
): Promise<number> {
  if (action !== 'measure') {
    fail({ kind: 'usage', message: `there is no 'compat ${action}'`, help: 'it is: compat measure KIND VERSION' });
  }
  const { ROW_KINDS, measureRow, writeMeasurement } = await import('../stages/resolve-versions/measure.js');
  const known = ROW_KINDS.find((name) => name === kind);
  if (!known) {
    fail({ kind: 'usage', message: `'${kind}' is no kind of row`, help: suggest(kind, ROW_KINDS, 'kinds') ?? '' });
  }
  const project = await openProject(context);
  const exitCode = await makeTools(context, project);
  if (exitCode !== 0) return exitCode;
  const measurement = await measured(context, project, known, version, options, measureRow);
  show(context, measurement);
  if (options['write'] === true && measurement.diff.length > 0) {
    await writeMeasurement(project.root, measurement);
    print(context, `written to ${measurement.file}; read it before you commit it`);
  }
  return 0;
}

/** The tools environment, made or unchanged. */
async function makeTools(context: CommandContext, project: Project): Promise<number> {
  const whole = await makePlan(project.config, { root: project.root }, context.loadStage);
  const { plan } = selectNodes(whole, { only: [TOOLS] });
  const request = { settings: {}, locked: false, force: new Set<string>(), noWait: false };
  return await runPlan(context, project, plan, request, 'auto');
}

async function measured(
  context: CommandContext,
  project: Project,
  kind: RowKind,
  version: string,
  options: OptionValues,
  measureRow: typeof MeasureRow,
): Promise<Measurement> {
  const { measureContext } = await import('../stages/resolve-versions/measure.js');
  const tools = new ArtifactFolders(project.stateDir).latest(TOOLS)?.artifact as Artifact<ToolsArtifact>;
  const tempDir = await mkdtemp(join(tmpdir(), 'pipeline-measure-'));
  const cancellation = cancelOnSignals();
  const { signal } = cancellation;
  const log = (line: string) => context.stderr.write(`${context.colors.dim(line)}\n`);
  const exec = (command: string, args: readonly string[], given: ExecOptions = {}) =>
    runCommand({
      command,
      args,
      cwd: given.cwd ?? tempDir,
      env: { ...context.env, ...given.env },
      options: given,
      signal,
      timeoutMs: given.timeoutMs ?? TIMEOUT_MS,
      onLine: (_, line) => {
        if (given.echo !== false) log(line);
      },
    });
  const repository = options['jaxRepository'];
  try {
    const base = { root: project.root, exec, tempDir, signal, log, env: context.env };
    const more = typeof repository === 'string' ? { jaxRepository: repository } : {};
    return await measureRow(kind, version, measureContext(base, tools, more));
  } finally {
    cancellation.dispose();
    await rm(tempDir, { recursive: true, force: true });
  }
}

function show(context: CommandContext, { kind, file, row, diff }: Measurement): void {
  const lines = Object.entries(row).map(([key, value]) => {
    return `  ${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const difference = diff.length === 0 ? [`${file} says the same`] : [`${file} differs:`, ...diff.map((d) => `  ${d}`)];
  print(context, [`${kind}:`, ...lines, ...difference]);
}
