// SPDX-License-Identifier: Apache-2.0
/**
 * A plan cut into legs: parts that run on machines of their own and hand results over. Whoever schedules the
 * machines (a CI service, a person) reads them from `plan --json` and starts each with `run-leg`.
 */
import { fileNameOf } from '../results/artifact-dir.js';
import type { LegGroup } from '../config/types.js';
import { fail } from '../failure.js';
import { suggest } from '../base/nearest.js';
import type { Plan, PlanNode } from '../plan/plan.js';

export interface Leg {
  /** `build@cpu-release`, or the group's name alone; also its folder. */
  readonly id: string;
  readonly group: string;
  /** Values of axes that its targets share. */
  readonly axes: Readonly<Record<string, string>>;
  /** Legs whose results it takes, which end before it starts. */
  readonly needs: readonly string[];
  /** Nodes whose results it takes, each with the leg that hands it over. */
  readonly takes: readonly { readonly node: string; readonly leg: string }[];
  /** Nodes that it runs and hands over. */
  readonly makes: readonly string[];
  /**
   * Nodes that each leg which needs them runs for itself: they work on one machine only, or belong to no single leg.
   */
  readonly repeats: readonly string[];
}

/** Without groups, the whole plan is one leg that has the pipeline's name. */
export function makeLegs(plan: Plan, groups: readonly LegGroup[]): Leg[] {
  const all = { name: plan.pipeline, stages: [...new Set(plan.nodes.map(({ stage }) => stage))], by: [] };
  const cutter = new Cutter(plan, groups.length === 0 ? [all] : groups);
  return cutter.cut();
}

/** The part of a plan that a leg sees: what it takes is there already, what it makes and repeats is run. */
export function planOfLeg(plan: Plan, leg: Leg): Plan {
  const own = new Set([...leg.takes.map(({ node }) => node), ...leg.makes, ...leg.repeats]);
  return { ...plan, nodes: plan.nodes.filter((node) => own.has(node.id)) };
}

interface Draft {
  readonly id: string;
  readonly group: string;
  readonly axes: Readonly<Record<string, string>>;
  readonly targets: readonly PlanNode[];
}

class Cutter {
  readonly #plan: Plan;
  readonly #groups: readonly LegGroup[];
  readonly #nodes: ReadonlyMap<string, PlanNode>;
  /** Node id → the leg that makes it. */
  readonly #owner = new Map<string, string>();

  constructor(plan: Plan, groups: readonly LegGroup[]) {
    this.#plan = plan;
    this.#groups = groups;
    this.#nodes = new Map(plan.nodes.map((node) => [node.id, node]));
  }

  cut(): Leg[] {
    const drafts = this.#groups.map((group) => this.#draftsOf(group));
    for (const { id, targets } of drafts.flat()) for (const node of targets) this.#owner.set(node.id, id);
    this.#requireOrder(drafts);
    const legs = drafts.flatMap((group) => this.#legsOf(group));
    this.#requireAll(legs);
    return legs;
  }

  /** One leg for each combination of values that the group's nodes have. */
  #draftsOf(group: LegGroup): Draft[] {
    const found = new Map<string, Draft & { readonly targets: PlanNode[] }>();
    const nodes = this.#plan.nodes.filter(({ stage }) => group.stages.includes(stage));
    requireAxes(group, nodes);
    for (const node of nodes) {
      const axes = Object.fromEntries(
        Object.entries(node.variant.axes).filter(([axis]) => group.by?.includes(axis) ?? true),
      );
      const values = group.by === undefined ? node.variant.id : Object.values(axes).join('-');
      const id = values === '' ? group.name : fileNameOf(`${group.name}[${values}]`);
      const draft = found.get(id) ?? { id, group: group.name, axes, targets: [] };
      draft.targets.push(node);
      found.set(id, draft);
    }
    return [...found.values()];
  }

  /** Fails if a leg takes from a leg of its own or a later group: those of one group run side by side. */
  #requireOrder(drafts: readonly (readonly Draft[])[]): void {
    const rank = new Map(drafts.flatMap((group, index) => group.map(({ id }) => [id, index] as const)));
    for (const { id, targets } of drafts.flat()) {
      for (const node of this.#reach(id, targets).taken) {
        const other = this.#owner.get(node) ?? '';
        if ((rank.get(other) ?? 0) < (rank.get(id) ?? 0)) continue;
        fail({
          kind: 'usage',
          message: `the leg ${id} needs ${node}, which ${other} makes, and that leg does not end before it`,
          help: `in \`legs\` of the pipeline ${this.#plan.pipeline}, name the stage of ${node} in an earlier group`,
        });
      }
    }
  }

  /** What a leg's targets need: up to what other legs make, and beyond it nothing. */
  #reach(leg: string, targets: readonly PlanNode[]): { readonly own: Set<string>; readonly taken: Set<string> } {
    const own = new Set<string>();
    const taken = new Set<string>();
    const queue = targets.map(({ id }) => id);
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const node = this.#nodes.get(id);
      if (node === undefined || own.has(id)) continue;
      if ((this.#owner.get(id) ?? leg) !== leg && node.definition.output === 'tree') {
        taken.add(id);
        continue;
      }
      own.add(id);
      queue.push(...node.needs);
    }
    return { own, taken };
  }

  #legsOf(drafts: readonly Draft[]): Leg[] {
    const reaches = drafts.map(({ id, targets }) => this.#reach(id, targets));
    const count = (node: string): number => reaches.filter(({ own }) => own.has(node)).length;
    const legs = drafts.map((draft, index): Leg => {
      const { own = new Set<string>(), taken = new Set<string>() } = reaches[index] ?? {};
      const ordered = this.#plan.nodes.filter(({ id }) => own.has(id));
      const shared = (node: PlanNode): boolean => node.definition.output === 'state' || count(node.id) > 1;
      const takes = this.#plan.nodes
        .filter(({ id }) => taken.has(id))
        .map(({ id }) => ({ node: id, leg: this.#owner.get(id) ?? '' }));
      return {
        id: draft.id,
        group: draft.group,
        axes: draft.axes,
        needs: [...new Set(takes.map(({ leg }) => leg))],
        takes,
        makes: ordered.filter((node) => !shared(node)).map(({ id }) => id),
        repeats: ordered.filter(shared).map(({ id }) => id),
      };
    });
    // Legs of later groups take what one leg of this group made on the way to its targets.
    for (const { id, makes } of legs) for (const node of makes) this.#owner.set(node, id);
    return legs;
  }

  #requireAll(legs: readonly Leg[]): void {
    const run = new Set(legs.flatMap(({ makes, repeats }) => [...makes, ...repeats]));
    const lost = this.#plan.nodes.find(({ id }) => !run.has(id));
    if (lost === undefined) return;
    fail({
      kind: 'usage',
      message: `no leg of the pipeline ${this.#plan.pipeline} runs ${lost.id}`,
      help: `name the stage ${lost.stage} in one of its \`legs\``,
    });
  }
}

function requireAxes(group: LegGroup, nodes: readonly PlanNode[]): void {
  const axes = [...new Set(nodes.flatMap(({ variant }) => Object.keys(variant.axes)))];
  const lost = nodes.length === 0 ? undefined : group.by?.find((axis) => !axes.includes(axis));
  if (lost === undefined) return;
  const help = suggest(lost, axes, 'they have');
  fail({
    kind: 'usage',
    message: `the stages of the legs '${group.name}' have no axis '${lost}'`,
    ...(help === undefined ? {} : { help }),
  });
}
