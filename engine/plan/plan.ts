// SPDX-License-Identifier: Apache-2.0
import type { Point, StageDefinition, Variant } from '../api.js';
import type { LegGroup, ResolvedConfig, ResolvedPipeline, ResolvedStage } from '../config/types.js';
import { fail } from '../failure.js';
import { type Graph, stableOrder, withDownstream, withUpstream } from '../base/graph.js';
import { suggest } from '../base/nearest.js';
import { atPoint, project, selectVariants } from '../config/variants.js';
import { settingsFor } from './settings.js';

/** One run of a stage for one variant, at one of the stage's own points. */
export interface PlanNode {
  /** `stage` or `stage[variant]`, unique in the plan. */
  readonly id: string;
  /** Name of the entry in pipeline.yaml (`name:`), by which `needs` and `artifact()` find it. */
  readonly stage: string;
  readonly definition: StageDefinition;
  /** Options as validated, schema defaults filled in. */
  readonly options: unknown;
  readonly variant: Variant;
  /** Ids of the nodes whose artifacts it reads. */
  readonly needs: readonly string[];
}

export interface Plan {
  readonly pipeline: string;
  /** Topological, stable: order of pipeline.yaml wherever `needs` leaves a choice. */
  readonly nodes: readonly PlanNode[];
  /** How pipeline.yaml cuts the pipeline for several machines. */
  readonly legGroups: readonly LegGroup[];
}

/** Finds the definition that `uses:` names. */
export type StageLoader = (uses: string) => Promise<StageDefinition>;

export interface PlanRequest {
  /** Root of the checkout, for stages with points of their own. */
  readonly root: string;
  readonly pipeline?: string | undefined;
  readonly variants?: readonly string[];
  /** `--set`, for stages whose points depend on it. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Every node of a pipeline: its stages and what they need, once per variant and point that makes a difference to them. */
export async function makePlan(config: ResolvedConfig, request: PlanRequest, load: StageLoader): Promise<Plan> {
  const pipeline = findPipeline(config, request.pipeline);
  const variants = selectVariants(config.variants, config.project.axes, request.variants ?? [], pipeline.variants);
  const graph: Graph = new Map(config.stages.map((stage) => [stage.name, stage.needs]));
  const included = withUpstream(graph, pipeline.stages);
  const stages = config.stages.filter((stage) => included.has(stage.name));
  const runs = new Map(
    await Promise.all(
      stages.map(async (stage) => {
        const definition = await load(stage.uses);
        return [stage.name, await runsOf(config, request, stage, definition, variants)] as const;
      }),
    ),
  );
  const nodes = stages.flatMap((stage) => (runs.get(stage.name) ?? []).map((run) => nodeOf(stage, run, runs)));
  checkWork(nodes);
  return { pipeline: pipeline.name, nodes: ordered(nodes), legGroups: pipeline.legs };
}

/** A stage as it runs once: for the variants that look the same to it, at one of its own points. */
interface StageRun {
  readonly definition: StageDefinition;
  readonly variant: Variant;
  readonly sharing: readonly Variant[];
  readonly point: Point;
}

async function runsOf(
  config: ResolvedConfig,
  { root, settings: given = {} }: PlanRequest,
  stage: ResolvedStage,
  definition: StageDefinition,
  variants: readonly Variant[],
): Promise<StageRun[]> {
  const seen = Object.keys(config.project.axes).filter((axis) => definition.axes.includes(axis));
  const sharing = new Map<string, Variant[]>();
  for (const variant of variants) {
    const { id } = project(variant, seen, config.implied);
    sharing.set(id, [...(sharing.get(id) ?? []), variant]);
  }
  const groups = await Promise.all(
    [...sharing.values()].map(async (group) => {
      const variant = project(group[0] ?? { id: '', axes: {} }, seen, config.implied);
      const settings = settingsFor({ definition }, given);
      const context = { root, options: stage.options, variant, config: config.project, settings };
      const points = (await definition.points?.(context)) ?? [{}];
      checkPoints(config, stage, points);
      return points.map((point) => ({ definition, variant: atPoint(variant, point), sharing: group, point }));
    }),
  );
  return groups.flat();
}

function checkPoints(config: ResolvedConfig, stage: ResolvedStage, points: readonly Point[]): void {
  const taken = points.flatMap(Object.keys).find((axis) => axis in config.project.axes);
  if (taken !== undefined) {
    refuse(
      `the axis '${taken}' of ${config.file} is one of the stage ${stage.name}'s own`,
      'give the axis another name in `variants`',
    );
  }
  const ids = points.map((point) => atPoint({ id: '', axes: {} }, point).id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`stage ${stage.name} has the point '${twice}' twice`);
}

function nodeOf(stage: ResolvedStage, run: StageRun, runs: ReadonlyMap<string, readonly StageRun[]>): PlanNode {
  // It needs what any of its variants needs, at all the points that agree with its own.
  const needs = stage.needs.flatMap((need) =>
    (runs.get(need) ?? [])
      .filter(
        (other) => other.sharing.some((variant) => run.sharing.includes(variant)) && agree(run.point, other.point),
      )
      .map((other) => nodeId(need, other.variant)),
  );
  return {
    id: nodeId(stage.name, run.variant),
    stage: stage.name,
    definition: run.definition,
    options: stage.options,
    variant: run.variant,
    needs,
  };
}

function agree(one: Point, other: Point): boolean {
  return Object.entries(one).every(([axis, value]) => (other[axis] ?? value) === value);
}

export function nodeId(stage: string, variant: Variant): string {
  return variant.id === '' ? stage : `${stage}[${variant.id}]`;
}

/** Names the node's work folder: its own id, or one that it shares. */
export function workOf({ definition, variant, id }: PlanNode): string {
  return definition.work === undefined ? id : nodeId(definition.work, variant);
}

/** Fails if two nodes that share a work folder could run at once. */
function checkWork(nodes: readonly PlanNode[]): void {
  const graph: Graph = new Map(nodes.map(({ id, needs }) => [id, needs]));
  const shared = nodes.filter(({ definition }) => definition.work !== undefined);
  for (const [index, node] of shared.entries()) {
    for (const other of shared.slice(0, index).filter((each) => workOf(each) === workOf(node))) {
      const first = withUpstream(graph, [node.id]).has(other.id);
      if (first || withUpstream(graph, [other.id]).has(node.id)) continue;
      refuse(
        `${other.id} and ${node.id} work in one folder, and neither needs the other`,
        `add ${other.stage} to \`needs\` of ${node.stage} in pipeline.yaml`,
      );
    }
  }
}

function ordered(nodes: readonly PlanNode[]): PlanNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const order = stableOrder(new Map(nodes.map((node) => [node.id, node.needs])));
  return order.flatMap((id) => byId.get(id) ?? []);
}

export function findPipeline(config: ResolvedConfig, name: string | undefined): ResolvedPipeline {
  const names = config.pipelines.map((pipeline) => pipeline.name);
  const found = name === undefined ? config.pipelines[0] : config.pipelines.find((pipeline) => pipeline.name === name);
  return found ?? refuse(`there is no pipeline '${name}' in ${config.file}`, suggest(name ?? '', names, 'pipelines'));
}

/** What --only, --from and --until ask for; each a list of stage names or node ids. */
export interface SelectionRequest {
  readonly only?: readonly string[];
  readonly from?: readonly string[];
  readonly until?: readonly string[];
}

export interface Selection {
  readonly plan: Plan;
  /** What was asked for; the other nodes are there because these need them (they are hits, most of the time). */
  readonly targets: ReadonlySet<string>;
}

/**
 * - `only`: these.
 * - `from`: these and all that comes after them.
 * - `until`: all but what comes after these.
 *
 * Together they narrow. What the targets need is always planned too, so that a
 * selection gives the same result as a whole run.
 */
export function selectNodes(plan: Plan, request: SelectionRequest): Selection {
  const graph: Graph = new Map(plan.nodes.map((node) => [node.id, node.needs]));
  let targets = new Set(graph.keys());
  const narrow = (keep: ReadonlySet<string>): void => {
    targets = new Set([...targets].filter((id) => keep.has(id)));
  };
  if (request.from?.length) narrow(withDownstream(graph, findNodes(plan, request.from)));
  if (request.until?.length) {
    const last = findNodes(plan, request.until);
    const after = withDownstream(graph, last);
    // One of two ends may come after the other, so what an end needs stays.
    const before = withUpstream(graph, last);
    narrow(new Set([...graph.keys()].filter((id) => before.has(id) || !after.has(id))));
  }
  if (request.only?.length) narrow(new Set(findNodes(plan, request.only)));
  if (targets.size === 0) refuse('the selection leaves nothing to do', 'nothing comes after --from and before --until');
  const kept = withUpstream(graph, targets);
  return { plan: { ...plan, nodes: plan.nodes.filter((node) => kept.has(node.id)) }, targets };
}

/** Ids of the nodes that names (of stages: all their variants) or ids mean. */
export function findNodes(plan: Plan, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const found = plan.nodes.filter((node) => node.id === name || node.stage === name).map((node) => node.id);
    if (found.length > 0) return found;
    const stages = [...new Set(plan.nodes.map((node) => node.stage))];
    const ids = plan.nodes.map((node) => node.id);
    const candidates = name.includes('[') ? ids : stages;
    return refuse(
      `there is no stage '${name}' in the pipeline '${plan.pipeline}'`,
      suggest(name, candidates, 'it has'),
    );
  });
}

function refuse(message: string, help: string | undefined): never {
  fail({ kind: 'usage', message, ...(help === undefined ? {} : { help }) });
}
