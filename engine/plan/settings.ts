// SPDX-License-Identifier: Apache-2.0
import { fail } from '../failure.js';
import { suggest } from '../base/nearest.js';
import type { PlanNode } from './plan.js';

/** Of all settings those that the node's stage declares. */
export function settingsFor(
  { definition }: Pick<PlanNode, 'definition'>,
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const declared = new Set(definition.settings);
  return Object.fromEntries(Object.entries(settings).filter(([key]) => declared.has(key)));
}

/** Fails (`usage`) for a key that none of the nodes' stages reads, with the nearest that one does. */
export function checkSettings(
  nodes: readonly Pick<PlanNode, 'definition'>[],
  settings: Readonly<Record<string, string>>,
): void {
  const known = [...new Set(nodes.flatMap(({ definition }) => definition.settings ?? []))].sort();
  const unknown = Object.keys(settings).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  fail({
    kind: 'usage',
    message: `no stage of this run reads --set ${unknown}`,
    help: suggest(unknown, known) ?? 'its stages read no settings',
  });
}
