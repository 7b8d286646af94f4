// SPDX-License-Identifier: Apache-2.0
import { hitWord } from '../engine/events/plain.js';
import type { Plan } from '../engine/plan/plan.js';
import { type NodePreview, preview } from '../engine/run/preview.js';
import { type CommandContext, type Project, print, printJson } from './context.js';
import { executeOptions, warningsOnly } from './execution.js';
import type { RunRequest } from './run.js';

export const STATES: Readonly<Record<NodePreview['state'], string>> = {
  unchanged: 'unchanged',
  cached: 'from cache',
  runs: 'would run',
  depends: 'may run',
};
const MAX_REASONS = 3;

/** `run --dry-run`: each node with what would happen to it and why. */
export async function dryRun(
  context: CommandContext,
  project: Project,
  plan: Plan,
  request: RunRequest,
  json: boolean,
): Promise<number> {
  const options = executeOptions(context, project, {
    ...request,
    signal: new AbortController().signal,
    emit: warningsOnly(context),
  });
  const found = await preview(plan, options);
  if (json) {
    const nodes = found.map(({ node, state, source, because, now }) => ({
      id: node.id,
      state,
      source,
      because,
      key: now?.key,
    }));
    printJson(context, { pipeline: plan.pipeline, nodes });
    return 0;
  }
  const { dim, green, yellow } = context.colors;
  const width = Math.max(...found.map(({ node }) => node.id.length));
  for (const { node, state, source, because } of found) {
    const text = STATES[state].padEnd(10);
    const paint = state === 'unchanged' || state === 'cached' ? green : yellow;
    const note = source === 'remote-cache' ? dim(`  (${hitWord(source)})`) : '';
    print(context, `${paint(text)}  ${node.id.padEnd(width)}  ${node.definition.title}${note}`);
    if (state === 'unchanged') continue;
    for (const reason of because.slice(0, MAX_REASONS)) print(context, dim(`            ${reason}`));
    const more = because.length - MAX_REASONS;
    if (more > 0) print(context, dim(`            and ${more} more: npx pipeline explain ${node.id}`));
  }
  const count = (state: NodePreview['state']): number => found.filter((entry) => entry.state === state).length;
  print(
    context,
    `${found.length} nodes: ${count('unchanged') + count('cached')} done before, ${count('runs')} would run, ${count('depends')} may run`,
  );
  return 0;
}
