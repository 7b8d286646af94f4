// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { fail } from '../engine/failure.js';
import type { Plan } from '../engine/plan/plan.js';
import type { JaxTestsOptions } from '../stages/jax-tests/request.js';
import type { CommandContext } from './context.js';
import type { OptionValues } from './spec.js';

const STAGE = 'jax-tests';

/**
 * `--jax-tests` and `--update-expected` of `run` as settings. Checked before anything runs: the stage comes after
 * a whole release.
 */
export async function jaxTestsSettings(
  context: CommandContext,
  plan: Plan,
  options: OptionValues,
  given: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const node = plan.nodes.find(({ definition }) => definition.name === STAGE);
  const { jaxTests, updateExpected } = options;
  if (node === undefined) {
    if (jaxTests === undefined && updateExpected !== true) return {};
    const flag = jaxTests === undefined ? '--update-expected' : '--jax-tests';
    fail({
      kind: 'usage',
      message: `${flag} is only for JAX's own tests, which this run has not`,
      help: 'npx pipeline run jax-tests --jax-tests DIR',
    });
  }
  const settings = {
    ...(typeof jaxTests === 'string' ? { [STAGE]: resolve(context.cwd, jaxTests) } : {}),
    ...(updateExpected === true ? { 'update-expected': '1' } : {}),
  };
  const { requestOf } = await import('../stages/jax-tests/request.js');
  await requestOf({ settings: { ...given, ...settings }, options: node.options as JaxTestsOptions });
  return settings;
}
