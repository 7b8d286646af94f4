// SPDX-License-Identifier: Apache-2.0
/** What a stage is told about its pipeline on more machines: the simulation of all that comes before it. */
import type { Forecast } from '../api.js';
import type { LegGroup } from '../config/types.js';
import { makeLegs } from '../legs/legs.js';
import type { Plan, PlanNode } from '../plan/plan.js';
import { withUpstream } from '../base/graph.js';
import { simulate } from './simulate.js';
import { readTimings } from './timings.js';

export const RUNNERS: readonly number[] = [1, 4, 16, 64];
/** Time in which a machine of a CI service starts, gets the checkout, installs. */
export const STARTUP_SECONDS = 60;

/** Simulates what comes before `node`, which itself has not run yet. */
export function forecastBefore(plan: Plan, node: PlanNode, stateDir: string, jobs: number): Forecast {
  const before = upTo(plan, node);
  const legs = makeLegs(before, legGroupsOf(before));
  const timings = readTimings(stateDir).nodes;
  const result = simulate(before, legs, { timings, runners: RUNNERS, startupMs: STARTUP_SECONDS * 1000, jobs });
  return {
    legs: legs.length,
    startupSeconds: STARTUP_SECONDS,
    jobs,
    results: result.results.map(({ runners, ms }) => ({ runners, seconds: Math.round(ms / 1000) })),
    unknown: result.unknown,
  };
}

function upTo(plan: Plan, node: PlanNode): Plan {
  const before = withUpstream(new Map(plan.nodes.map(({ id, needs }) => [id, needs])), node.needs);
  const nodes = plan.nodes.filter(({ id }) => before.has(id));
  const stages = new Set(nodes.map(({ stage }) => stage));
  return {
    ...plan,
    nodes,
    legGroups: plan.legGroups.filter((group) => group.stages.some((stage) => stages.has(stage))),
  };
}

/**
 * The legs of the pipeline, or else the finest cut there is. What works on one machine only is then made in each leg.
 */
export function legGroupsOf(plan: Plan): readonly LegGroup[] {
  if (plan.legGroups.length > 0) return plan.legGroups;
  const needed = new Set(plan.nodes.flatMap(({ needs }) => needs));
  const own = plan.nodes.filter(({ id, definition }) => definition.output === 'tree' || !needed.has(id));
  return [...new Set(own.map(({ stage }) => stage))].map((name) => ({ name, stages: [name] }));
}
