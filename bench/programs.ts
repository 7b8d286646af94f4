// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench:programs`: programs as people write them, on the plugin as it was last built and on XLA:CPU of the same jaxlib;
 * their losses must be equal. `-- --variant cpu-release-iree3.11`: another variant of it.
 */
import { parseArgs } from 'node:util';
import { measure } from './rows.js';

const { values } = parseArgs({ options: { variant: { type: 'string' } } });
await measure('programs', ['programs/compare.py'], values.variant);
