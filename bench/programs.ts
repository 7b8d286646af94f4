// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:programs`: programs as people write them, on the plugin as it was last built and on XLA:CPU of the same jaxlib;
 * their losses must be equal. `-- --help`: what else it can do.
 */
import { benchCommand, runBench } from './command.js';
import { measure, variantOption, type VariantOption } from './rows.js';

const command = benchCommand('bench:programs', 'Trains programs as people write them, on the plugin and on XLA:CPU.');
await runBench(command.addOption(variantOption()), () =>
  measure('programs', ['programs/compare.py'], command.opts<VariantOption>().variant),
);
