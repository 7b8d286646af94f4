// SPDX-License-Identifier: Apache-2.0
import { fail } from '../../engine/failure.js';
import { suggest } from '../../engine/base/nearest.js';
import type { CommandContext } from '../context.js';
import type { CommandModule } from '../spec.js';
import type { Options } from '../options.js';

const ACTIONS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  check: () => import('./check.js'),
  measure: () => import('./measure.js'),
  record: () => import('./record.js'),
};

/** What is known of versions: one action each. */
export async function run(
  context: CommandContext,
  [action = '', ...args]: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const load = ACTIONS[action];
  if (load) return await (await load()).run(context, args, options);
  return fail({
    kind: 'usage',
    message: `there is no 'compat ${action}'`,
    help: suggest(action, Object.keys(ACTIONS), 'actions') ?? '',
  });
}
