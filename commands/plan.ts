// SPDX-License-Identifier: Apache-2.0
import { type CommandContext, openProject, print, printJson } from './context.js';
import type { OptionValues } from './declarations.js';
import { planFor } from './planning.js';

export async function run(
  context: CommandContext,
  [pipeline]: readonly (string | undefined)[],
  options: OptionValues,
): Promise<number> {
  const project = await openProject(context);
  const { plan, targets } = await planFor(context, project, pipeline, options);
  if (options['json'] === true) {
    printJson(context, {
      pipeline: plan.pipeline,
      nodes: plan.nodes.map((node) => ({
        id: node.id,
        stage: node.stage,
        uses: node.definition.name,
        title: node.definition.title,
        variant: node.variant.axes,
        needs: node.needs,
        selected: targets.has(node.id),
        options: node.options,
      })),
    });
    return 0;
  }
  const { bold, dim } = context.colors;
  const width = Math.max(...plan.nodes.map((node) => node.id.length));
  print(context, [bold(`${plan.pipeline}: ${plan.nodes.length} nodes`)]);
  for (const node of plan.nodes) {
    const note = targets.has(node.id) ? '' : dim('  (needed by the selection)');
    print(context, `  ${node.id.padEnd(width)}  ${node.definition.title}${note}`);
    if (node.needs.length > 0) print(context, dim(`    after ${node.needs.join(', ')}`));
  }
  return 0;
}
