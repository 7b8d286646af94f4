// SPDX-License-Identifier: Apache-2.0
import { type CommandContext, openProject, print, printJson } from './context.js';
import type { Options } from './options.js';

export async function run(
  context: CommandContext,
  _: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const { config } = await openProject(context);
  if (options.flag('json')) {
    const { pipelines, stages, variants, project } = config;
    printJson(context, { pipelines, stages, variants, axes: project.axes });
    return 0;
  }
  const definitions = await Promise.all(config.stages.map((stage) => context.loadStage(stage.uses)));
  const { bold, dim } = context.colors;
  const section = (title: string, rows: readonly (readonly [name: string, text: string])[]): void => {
    const width = Math.max(0, ...rows.map(([name]) => name.length));
    print(context, [bold(title), ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${dim(text)}`.trimEnd()), '']);
  };
  section(
    'Pipelines',
    config.pipelines.map((pipeline) => [pipeline.name, pipeline.title]),
  );
  section(
    'Stages',
    config.stages.map((stage, index) => [stage.name, definitions[index]?.title ?? '']),
  );
  section(
    'Variants',
    config.variants.map((variant) => [
      variant.id,
      Object.entries(variant.axes)
        .map((pair) => pair.join('='))
        .join(' '),
    ]),
  );
  return 0;
}
