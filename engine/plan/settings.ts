// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../api.js';
import { fail } from '../failure.js';
import { suggest } from '../base/nearest.js';
import type { PlanNode } from './plan.js';

/** The settings that the node's stage declares. */
export function settingsFor(
  { definition }: Pick<PlanNode, 'definition'>,
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const declared = new Set(namesOf(definition));
  return Object.fromEntries(Object.entries(settings).filter(([key]) => declared.has(key)));
}

/** Fails (`usage`) for a key that none of the nodes' stages reads, with the nearest that one does. */
export function checkSettings(
  nodes: readonly Pick<PlanNode, 'definition'>[],
  settings: Readonly<Record<string, string>>,
): void {
  const known = [...new Set(nodes.flatMap(({ definition }) => namesOf(definition)))].sort();
  const unknown = Object.keys(settings).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  fail({
    kind: 'usage',
    message: `no stage of this run reads --set ${unknown}`,
    help: suggest(unknown, known) ?? 'its stages read no settings',
  });
}

/** Fails for what a stage finds wrong with the settings before anything runs. */
export async function checkByStages(
  nodes: readonly Pick<PlanNode, 'definition' | 'options'>[],
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  for (const node of nodes) {
    await node.definition.check?.({ settings: settingsFor(node, settings), options: node.options });
  }
}

function namesOf({ settings = [] }: Pick<StageDefinition, 'settings'>): string[] {
  return settings.map(({ name }) => name);
}
