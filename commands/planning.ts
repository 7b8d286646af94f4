// SPDX-License-Identifier: Apache-2.0
import { fail } from '../engine/failure.js';
import { type Plan, type Selection, makePlan, selectNodes } from '../engine/plan/plan.js';
import type { PlanOrder } from '../engine/legs/plan-file.js';
import { checkSettings } from '../engine/plan/settings.js';
import type { CommandContext, Project } from './context.js';
import type { Options } from './options.js';

/** Of a command's options, what chooses from a pipeline. */
export function chosenBy(options: Options): PlanOrder {
  return {
    variants: options.list('variant'),
    only: options.list('only'),
    from: options.list('from'),
    until: options.list('until'),
    settings: givenSettings(options),
  };
}

/** The plan that a command's arguments ask for. */
export async function planFor(
  context: CommandContext,
  project: Project,
  pipeline: string | undefined,
  { variants, settings, ...selection }: PlanOrder,
): Promise<Selection> {
  const plan = await makePlan(project.config, { root: project.root, pipeline, variants, settings }, context.loadStage);
  return selectNodes(plan, selection);
}

/** `--set a=b` as an object. Fails for a key that no stage of the plan reads. */
export function settingsOf(options: Options, plan: Plan): Record<string, string> {
  const settings = givenSettings(options);
  checkSettings(plan.nodes, settings);
  return settings;
}

/** `--set a=b` as an object, before there is a plan to check it. Of two values for one key the later wins. */
export function givenSettings(options: Options): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const text of options.list('set')) {
    const equals = text.indexOf('=');
    if (equals < 1) fail({ kind: 'usage', message: `--set ${text} lacks a value`, help: 'write --set KEY=VALUE' });
    settings[text.slice(0, equals)] = text.slice(equals + 1);
  }
  return settings;
}
