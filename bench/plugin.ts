// SPDX-License-Identifier: Apache-2.0
/** `npm run bench:plugin`: the plugin as it was last built, against XLA:CPU of the same jaxlib. `-- --help`: what else it can do. */
import { benchCommand, runBench } from './command.js';
import { measure, variantOption, type VariantOption } from './rows.js';

const command = benchCommand('bench:plugin', 'Times launches and compilations, on the plugin and on XLA:CPU.');
await runBench(command.addOption(variantOption()), () =>
  measure('plugin', ['plugin/runtime.py', 'plugin/compile.py'], command.opts<VariantOption>().variant),
);
