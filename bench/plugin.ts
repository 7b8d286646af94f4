// SPDX-License-Identifier: Apache-2.0
/** `npm run bench:plugin`: the plugin as it was last built, against XLA:CPU of the same jaxlib. */
import { measure } from './rows.js';

await measure('plugin', ['plugin/runtime.py', 'plugin/compile.py']);
