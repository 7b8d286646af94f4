// SPDX-License-Identifier: Apache-2.0
import { fail } from '../../engine/failure.js';
import type { PlanFile, PlanFileLeg } from '../../engine/legs/plan-file.js';
import type { RunnerChoice, Workflow } from './config.js';

/** One row of a job's matrix: what the job's steps read as `matrix.*`. */
export interface MatrixRow {
  readonly leg: string;
  readonly runner: string;
  /** Pattern of the artifacts that the leg takes. */
  readonly takes: string;
}

/**
 * Lines for `$GITHUB_OUTPUT`: for each group its legs, as the matrix of the group's job. A plan may have no leg of a
 * group.
 */
export function matrixLines(plan: PlanFile, workflow: Workflow): string[] {
  return groupsOf(workflow).map((group) => {
    const rows = plan.legs.filter((leg) => leg.group === group && isWanted(leg, workflow));
    return `${group}=${JSON.stringify(rows.map((leg) => rowOf(leg, workflow)))}`;
  });
}

/**
 * The names of the groups of legs, each of which is a job. A pipeline without groups is one leg with the pipeline's
 * name.
 */
export function groupsOf({ pipeline }: Workflow): string[] {
  return pipeline.legs.length === 0 ? [pipeline.name] : pipeline.legs.map(({ name }) => name);
}

function isWanted(leg: PlanFileLeg, { config }: Workflow): boolean {
  return leg.group !== config.publish?.legs || agrees(leg, config.publish.where);
}

function rowOf(leg: PlanFileLeg, { config }: Workflow): MatrixRow {
  const fits = ({ legs, where }: RunnerChoice): boolean => (legs ?? leg.group) === leg.group && agrees(leg, where);
  const runner = config.runners.find(fits)?.runner ?? config.runner;
  return { leg: leg.id, runner, takes: `@(${['plan', ...leg.needs].join('|')})` };
}

function agrees(leg: PlanFileLeg, where: RunnerChoice['where']): boolean {
  return Object.entries(where ?? {}).every(([axis, value]) => leg.axes[axis] === value);
}

/** Fails for a tag of another version than the project's: nothing is published under it. */
export function requireTag(ref: string | undefined, version: string): void {
  const tag = /^refs\/tags\/(.*)$/.exec(ref ?? '')?.[1];
  if (tag === undefined || tag === `v${version}`) return;
  fail({
    kind: 'usage',
    message: `the tag ${tag} is not that of version ${version}, which pipeline.yaml names`,
    help: `tag v${version}, or change project.version first`,
  });
}
