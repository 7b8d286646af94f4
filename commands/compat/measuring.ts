// SPDX-License-Identifier: Apache-2.0
/** What a measurement of versions needs from a command: tools, a process's surroundings, a place to work in. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Artifact, ExecOptions } from '../../engine/api.js';
import { ArtifactFolders } from '../../engine/results/artifact-dir.js';
import { makePlan, selectNodes } from '../../engine/plan/plan.js';
import { runCommand } from '../../engine/machine/process.js';
import { cancelOnSignals } from '../../engine/machine/signals.js';
import type { ToolsArtifact } from '../../stages/artifacts.js';
import { measureContext, type MeasureContext } from '../../measuring/row.js';
import type { CommandContext, Project } from '../context.js';
import { runPlan } from '../run.js';

const TOOLS = 'setup-tools';
/** Its programs print while they get on: what they download, and what they ask. */
const SILENCE_MS = 10 * 60_000;

/** Makes the tools environment, or finds it unchanged; gives the exit code. */
export async function makeTools(context: CommandContext, project: Project): Promise<number> {
  const whole = await makePlan(project.config, { root: project.root }, context.loadStage);
  const { plan } = selectNodes(whole, { only: [TOOLS] });
  const request = { settings: {}, locked: false, force: new Set<string>(), noWait: false };
  return await runPlan(context, project, plan, request, 'auto');
}

/**
 * Calls `action` with a context that can measure, and removes its folder afterwards. `makeTools` must have been called.
 */
export async function measuring<T>(
  context: CommandContext,
  project: Project,
  more: { readonly jaxRepository?: string },
  action: (measure: MeasureContext) => Promise<T>,
): Promise<T> {
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
      options: { silenceMs: SILENCE_MS, ...given },
      signal,
      onLine: (_, line) => {
        if (given.echo !== false) log(line);
      },
    });
  try {
    const base = { root: project.root, exec, tempDir, signal, log, env: context.env };
    return await action(measureContext(base, tools, more));
  } finally {
    cancellation.dispose();
    await rm(tempDir, { recursive: true, force: true });
  }
}
