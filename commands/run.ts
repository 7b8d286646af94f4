// SPDX-License-Identifier: Apache-2.0
import { type ExecuteResult, execute } from '../engine/run/execute.js';
import type { ExecuteOptions } from '../engine/run/execute-options.js';
import { renderFailure } from '../engine/events/render-failure.js';
import { type ViewMode, createSink } from '../engine/events/view.js';
import { exitCodeOf } from '../engine/failure.js';
import type { Plan } from '../engine/plan/plan.js';
import { cancelOnSignals } from '../engine/machine/signals.js';
import { type CommandContext, type Project, openProject } from './context.js';
import type { Options } from './options.js';
import { executeOptions } from './execution.js';
import { chosenBy, planFor } from './planning.js';
import { allSettings } from './stage-options.js';

export async function run(
  context: CommandContext,
  [pipeline]: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const project = await openProject(context);
  const { plan, targets } = await planFor(context, project, pipeline, chosenBy(options));
  const forced = options.flag('force') || options.list('from').length > 0;
  const request: RunRequest = {
    settings: await allSettings(context, plan, options),
    locked: options.flag('locked'),
    force: forced ? targets : new Set<string>(),
    noWait: !options.flag('wait'),
    jobs: options.count('jobs'),
  };
  if (options.flag('dryRun')) {
    const { dryRun } = await import('./dry-run.js');
    return await dryRun(context, project, plan, request, options.flag('json'));
  }
  return await runPlan(context, project, plan, request, viewOf(options));
}

export function viewOf(options: Options): ViewMode {
  return options.flag('json') ? 'json' : options.flag('plain') ? 'plain' : 'auto';
}

export type RunRequest = Pick<ExecuteOptions, 'settings' | 'locked' | 'force' | 'noWait' | 'given'> & {
  readonly jobs?: number | undefined;
};

/** Runs a plan in view of the user, until it ends or a signal ends it; gives the exit code. */
export async function runPlan(
  context: CommandContext,
  project: Project,
  plan: Plan,
  request: RunRequest,
  mode: ViewMode,
): Promise<number> {
  return (await runAndShow(context, project, plan, request, mode)).code;
}

/** Runs a plan in view of the user, as above; gives the exit code and the results. */
export async function runAndShow(
  context: CommandContext,
  project: Project,
  plan: Plan,
  request: RunRequest,
  mode: ViewMode,
): Promise<{ readonly code: number; readonly result: ExecuteResult }> {
  const cancellation = cancelOnSignals();
  // The views need no more of stdout than `Output` has.
  const stdout: unknown = context.stdout;
  const view = createSink(mode, stdout as typeof process.stdout, { env: context.env, cwd: context.cwd });
  const varying = { ...request, signal: cancellation.signal, emit: view.emit };
  try {
    const result = await execute(plan, executeOptions(context, project, varying)).finally(() => view.close());
    // The view has shown the failures of nodes; the others are shown here.
    for (const { failure } of result.failures.filter(({ node }) => node === '')) {
      const lines = renderFailure(failure, { paint: context.colors, cwd: context.cwd });
      context.stderr.write(`${lines.join('\n')}\n`);
    }
    const [first] = result.failures;
    return { code: first ? exitCodeOf(first.failure) : 0, result };
  } finally {
    cancellation.dispose();
  }
}
