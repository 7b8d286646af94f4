// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:plugin`: the plugin as it was last built, against XLA:CPU of the same jaxlib.
 * `-- --variant cpu-release-iree3.11`: another variant of it.
 */
import { parseArgs } from 'node:util';
import { measure } from './rows.js';

const { values } = parseArgs({ options: { variant: { type: 'string' } } });
await measure('plugin', ['plugin/runtime.py', 'plugin/compile.py'], values.variant);
