// SPDX-License-Identifier: Apache-2.0
import { type Leg, makeLegs } from '../engine/legs/legs.js';
import { type PlanFile, type PlanOrder, describePlan } from '../engine/legs/plan-file.js';
import type { Plan } from '../engine/plan/plan.js';
import { checkSettings } from '../engine/plan/settings.js';
import { type CommandContext, type Project, openProject, print, printJson } from './context.js';
import type { Options } from './options.js';
import { originOf } from './origin.js';
import { chosenBy, planFor, settingsOf } from './planning.js';

export async function run(
  context: CommandContext,
  [pipeline]: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const project = await openProject(context);
  if (options.flag('json')) {
    const order = chosenBy(options);
    printJson(context, (await planWithLegs(context, project, pipeline, order)).file);
    return 0;
  }
  const { plan, targets } = await planFor(context, project, pipeline, chosenBy(options));
  settingsOf(options, plan);
  const { bold, dim } = context.colors;
  const width = Math.max(...plan.nodes.map((node) => node.id.length));
  print(context, [bold(`${plan.pipeline}: ${plan.nodes.length} nodes`)]);
  for (const node of plan.nodes) {
    const note = targets.has(node.id) ? '' : dim('  (needed by the selection)');
    print(context, `  ${node.id.padEnd(width)}  ${node.definition.title}${note}`);
    if (node.needs.length > 0) print(context, dim(`    after ${node.needs.join(', ')}`));
  }
  const legs = makeLegs(plan, plan.legGroups);
  if (legs.length === 1) return 0;
  print(context, ['', bold(`${legs.length} legs`)]);
  for (const leg of legs) {
    print(context, `  ${leg.id}  ${dim(`makes ${leg.makes.join(', ')}`)}`);
    if (leg.needs.length > 0) print(context, dim(`    after ${leg.needs.join(', ')}`));
  }
  return 0;
}

/** The plan of this checkout for an order, with its legs, and as it is handed to other machines. */
export async function planWithLegs(
  context: CommandContext,
  project: Project,
  pipeline: string | undefined,
  order: PlanOrder,
): Promise<{ readonly plan: Plan; readonly legs: readonly Leg[]; readonly file: PlanFile }> {
  const { plan, targets } = await planFor(context, project, pipeline, order);
  checkSettings(plan.nodes, order.settings);
  const legs = makeLegs(plan, plan.legGroups);
  const origin = await originOf(context, project.root);
  return { plan, legs, file: describePlan(plan, legs, { targets, order, origin }) };
}
