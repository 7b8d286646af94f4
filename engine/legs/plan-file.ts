// SPDX-License-Identifier: Apache-2.0
/** A plan as JSON (`schemas/plan.schema.json`): all that machines need which run its legs. */
import fs from 'node:fs';
import { canonicalJson, sha256 } from '../base/canonical-json.js';
import { fail } from '../failure.js';
import { readJsonFile } from '../base/files.js';
import type { Leg } from './legs.js';
import type { Plan } from '../plan/plan.js';

const FORMAT = 1;

/** What was asked for when the plan was made: with it the same plan is made again. */
export interface PlanOrder {
  readonly variants: readonly string[];
  readonly only: readonly string[];
  readonly from: readonly string[];
  readonly until: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/** Which checkout a plan is of. */
export interface Origin {
  /** The commit that is checked out; none without git. */
  readonly commit?: string;
  /** sha256 over names and contents of the checkout's files, changed ones and new ones among them. */
  readonly sources?: string;
}

export interface PlanFile extends Origin {
  readonly format: typeof FORMAT;
  readonly pipeline: string;
  /** sha256 over the rest. */
  readonly digest: string;
  readonly order: PlanOrder;
  readonly nodes: readonly PlanFileNode[];
  readonly legs: readonly PlanFileLeg[];
}

export interface PlanFileNode {
  readonly id: string;
  readonly stage: string;
  readonly uses: string;
  readonly title: string;
  readonly variant: Readonly<Record<string, string>>;
  readonly needs: readonly string[];
  /** False: it is there because a selected one needs it. */
  readonly selected: boolean;
  readonly options: unknown;
}

export interface PlanFileLeg extends Leg {
  /** Run in a checkout with the results of the legs that it needs, it runs the leg. */
  readonly command: readonly string[];
}

export function describePlan(
  plan: Plan,
  legs: readonly Leg[],
  more: { readonly targets: ReadonlySet<string>; readonly order: PlanOrder; readonly origin: Origin },
): PlanFile {
  const nodes = plan.nodes.map((node) => ({
    id: node.id,
    stage: node.stage,
    uses: node.definition.name,
    title: node.definition.title,
    variant: node.variant.axes,
    needs: node.needs,
    selected: more.targets.has(node.id),
    options: node.options,
  }));
  const commands = legs.map((leg) => ({ ...leg, command: ['npx', 'pipeline', 'run-leg', leg.id] }));
  const rest = { format: FORMAT, pipeline: plan.pipeline, ...more.origin, order: more.order, nodes, legs: commands };
  return { ...rest, format: FORMAT, digest: sha256(canonicalJson(rest)) };
}

/** Reads what `plan --json` wrote. */
export function readPlanFile(file: string): PlanFile {
  if (!fs.existsSync(file)) {
    fail({
      kind: 'usage',
      message: `there is no plan in ${file}`,
      help: `make it with \`npx pipeline plan PIPELINE --json > ${file}\`, or bring that of the machine that made it`,
    });
  }
  const found = readJsonFile(file) as Partial<PlanFile> | undefined;
  if (found?.format !== FORMAT || typeof found.pipeline !== 'string' || found.order === undefined) {
    fail({
      kind: 'usage',
      message: `${file} is not a plan, or one of another version of this program`,
      help: 'make it anew with `npx pipeline plan PIPELINE --json`',
    });
  }
  return found as PlanFile;
}

/** Fails unless the plan that was handed out is the one that this checkout gives. */
export function requireSamePlan(file: string, handed: PlanFile, here: PlanFile): void {
  if (handed.digest === here.digest) return;
  fail({
    kind: 'usage',
    message: `${file} is the plan of another checkout: ${difference(handed, here)}`,
    help: 'check out the commit that the plan is of, or make the plan anew and run all of its legs with it',
  });
}

function difference(handed: PlanFile, here: PlanFile): string {
  if (handed.commit !== here.commit)
    return `it is of ${named(handed.commit)}, and ${named(here.commit)} is checked out here`;
  if (handed.sources !== here.sources) return `files differ here from those of ${named(handed.commit)} that it is of`;
  const known = new Map(handed.nodes.map((node) => [node.id, canonicalJson(node)]));
  const other = here.nodes.find((node) => known.get(node.id) !== canonicalJson(node));
  return other === undefined ? 'its legs are others' : `its ${other.id} is another`;
}

function named(commit: string | undefined): string {
  return commit === undefined ? 'a folder without a commit' : `commit ${commit.slice(0, 12)}`;
}
