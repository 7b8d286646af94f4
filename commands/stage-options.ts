// SPDX-License-Identifier: Apache-2.0
/** Options of `run` that stages declare: a `--NAME` for a setting. */
import { resolve } from 'node:path';
import type { Setting } from '../engine/api.js';
import { fail } from '../engine/failure.js';
import type { Plan } from '../engine/plan/plan.js';
import { checkByStages } from '../engine/plan/settings.js';
import type { CommandContext } from './context.js';
import { settingsOf } from './planning.js';
import type { OptionSpec } from './spec.js';
import type { Options } from './options.js';

interface StageOption extends Setting {
  /** The stage that declares the option. */
  readonly stage: string;
}

async function stageOptions(context: Pick<CommandContext, 'loadStage' | 'stageNames'>): Promise<StageOption[]> {
  const definitions = await Promise.all(context.stageNames.map((name) => context.loadStage(name)));
  return definitions.flatMap(({ name: stage, settings = [] }) =>
    settings.filter(({ option }) => option !== undefined).map((setting) => ({ ...setting, stage })),
  );
}

/** As `run --help` shows them. */
export async function stageOptionSpecs(context: CommandContext): Promise<OptionSpec[]> {
  return (await stageOptions(context)).map(({ name, text, option, stage }) => ({
    flags: option === 'folder' ? `--${name} <folder>` : `--${name}`,
    text: `${stage}: ${text}`,
  }));
}

/**
 * `--set` and the stages' own options as settings. Each stage checks its settings now if it can, since it may run only
 * after a whole release.
 */
export async function allSettings(
  context: CommandContext,
  plan: Plan,
  options: Options,
): Promise<Record<string, string>> {
  const settings = settingsOf(options, plan);
  const reads = new Set(plan.nodes.map(({ definition }) => definition.name));
  for (const { name, stage } of await stageOptions(context)) {
    const [key, folder] = [camelCase(name), options.text(camelCase(name))];
    if (folder === undefined && !options.flag(key)) continue;
    if (!reads.has(stage)) {
      fail({
        kind: 'usage',
        message: `--${name} is for the stage ${stage}, which this run has not`,
        help: 'npx pipeline list shows which pipeline has it',
      });
    }
    settings[name] = folder === undefined ? '1' : resolve(context.cwd, folder);
  }
  await checkByStages(plan.nodes, settings);
  return settings;
}

/** As commander names the value of an option. */
function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
