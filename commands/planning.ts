// SPDX-License-Identifier: Apache-2.0
import { fail } from '../engine/failure.js';
import { type Plan, type Selection, makePlan, selectNodes } from '../engine/plan/plan.js';
import { checkSettings } from '../engine/plan/settings.js';
import type { CommandContext, Project } from './context.js';
import type { OptionValues } from './spec.js';

/** The plan that a command's arguments ask for. */
export async function planFor(
  context: CommandContext,
  project: Project,
  pipeline: string | undefined,
  options: OptionValues,
): Promise<Selection> {
  const variants = texts(options['variant']);
  const plan = await makePlan(project.config, { root: project.root, pipeline, variants }, context.loadStage);
  return selectNodes(plan, {
    only: texts(options['only']),
    from: texts(options['from']),
    until: texts(options['until']),
  });
}

export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** `--set a=b` as an object. Fails for a key that no stage of the plan reads. */
export function settingsOf(options: OptionValues, plan: Plan): Record<string, string> {
  const settings = givenSettings(options);
  checkSettings(plan.nodes, settings);
  return settings;
}

/** The same before there is a plan to ask; of two for one key the later wins. */
export function givenSettings(options: OptionValues): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const text of texts(options['set'])) {
    const equals = text.indexOf('=');
    if (equals < 1) fail({ kind: 'usage', message: `--set ${text} lacks a value`, help: 'write --set KEY=VALUE' });
    settings[text.slice(0, equals)] = text.slice(equals + 1);
  }
  return settings;
}
