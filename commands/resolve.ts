// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../engine/failure.js';
import { makePlan, selectNodes } from '../engine/plan/plan.js';
import type { ResolveOptions } from '../stages/resolve-versions/inputs.js';
import { type CommandContext, type Project, openProject, print } from './context.js';
import type { Options } from './options.js';
import type { Lock } from '../stages/artifacts.js';
import { settingsOf } from './planning.js';
import { runPlan } from './run.js';

const STAGE = 'resolve-versions';
const LOCK_FILE = 'pipeline.lock.yaml';

/** Runs `resolve-versions` and what it needs, then says what changed in the lock. */
export async function run(
  context: CommandContext,
  _: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const update = options.flag('update');
  const locked = options.flag('locked');
  if (update && locked) {
    fail({ kind: 'usage', message: '--update and --locked exclude each other', help: 'give one of the two' });
  }
  const project = await openProject(context);
  const stages = project.config.stages.filter((stage) => stage.uses === STAGE).map((stage) => stage.name);
  const pipeline = project.config.pipelines.find((entry) => entry.stages.some((stage) => stages.includes(stage)));
  if (!pipeline) fail({ kind: 'usage', message: `no pipeline in ${project.config.file} uses the stage '${STAGE}'` });
  if (update) {
    const repository = options.text('jaxRepository');
    const more = repository === undefined ? {} : { jaxRepository: repository };
    const { updateCompat } = await import('./compat/update.js');
    const exitCode = await updateCompat(context, project, pythonsOf(project), more);
    if (exitCode !== 0) return exitCode;
  }
  const whole = await makePlan(project.config, { root: project.root, pipeline: pipeline.name }, context.loadStage);
  const only = whole.nodes.filter((node) => node.definition.name === STAGE).map((node) => node.id);
  const { plan, targets } = selectNodes(whole, { only });
  const settings = { ...settingsOf(options, plan), ...(update ? { update: 'true' } : {}) };
  const path = join(project.root, LOCK_FILE);
  const before = await readLock(path);
  const request = { settings, locked, force: update || locked ? targets : new Set<string>(), noWait: false };
  const exitCode = await runPlan(context, project, plan, request, 'auto');
  if (exitCode === 0) await printChanges(context, before, await readLock(path));
  return exitCode;
}

/** The Pythons that the lock is resolved for. */
export function pythonsOf(project: Project): readonly string[] {
  const stage = project.config.stages.find(({ uses }) => uses === STAGE);
  return (stage?.options as Partial<ResolveOptions> | undefined)?.pythons ?? [];
}

async function readLock(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(() => undefined);
}

async function printChanges(
  context: CommandContext,
  before: string | undefined,
  after: string | undefined,
): Promise<void> {
  if (before === after) {
    print(context, `${LOCK_FILE} is unchanged`);
    return;
  }
  const { parse } = await import('yaml');
  const { diffLocks } = await import('../stages/resolve-versions/lock.js');
  const changes = diffLocks(
    before === undefined ? undefined : (parse(before) as Partial<Lock>),
    parse(after ?? '') as Lock,
  );
  const verb = before === undefined ? 'is new' : 'changed';
  print(context, [`${LOCK_FILE} ${verb}:`, ...changes.map((change) => `  ${change}`)]);
}
