// SPDX-License-Identifier: Apache-2.0
import { join, resolve } from 'node:path';
import { handOver, takeOver } from '../engine/legs/hand-over.js';
import { fail } from '../engine/failure.js';
import { planOfLeg } from '../engine/legs/legs.js';
import { suggest } from '../engine/base/nearest.js';
import { readPlanFile, requireSamePlan } from '../engine/legs/plan-file.js';
import { type CommandContext, openProject } from './context.js';
import type { Options } from './options.js';
import { planWithLegs } from './plan.js';
import { runAndShow, viewOf } from './run.js';

/** Where a plan and what its legs hand over lie, unless --folder says otherwise. */
export const LEGS_FOLDER = 'legs';
export const PLAN_FILE = 'plan.json';

/** Runs one leg of the plan in the legs' folder, on what the legs before it left there, and leaves its own results. */
export async function run(
  context: CommandContext,
  [name = '']: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const project = await openProject(context);
  const folder = resolve(project.root, options.text('folder') ?? LEGS_FOLDER);
  const file = join(folder, PLAN_FILE);
  const handed = readPlanFile(file);
  const { plan, legs, file: here } = await planWithLegs(context, project, handed.pipeline, handed.order);
  requireSamePlan(file, handed, here);
  const leg = legs.find(({ id }) => id === name);
  if (leg === undefined) {
    const ids = legs.map(({ id }) => id);
    const help = suggest(name, ids, 'there are');
    return fail({ kind: 'usage', message: `there is no leg '${name}'`, ...(help === undefined ? {} : { help }) });
  }
  const given = takeOver(leg, { folder, plan: here.digest });
  const request = {
    settings: handed.order.settings,
    // Legs must not resolve anew, each for itself: they would work on different versions.
    locked: true,
    force: new Set<string>(),
    noWait: !options.flag('wait'),
    jobs: options.count('jobs'),
    given,
  };
  const { code, result } = await runAndShow(context, project, planOfLeg(plan, leg), request, viewOf(options));
  if (code === 0) await handOver(leg, result.artifacts, { folder, plan: here.digest });
  return code;
}
