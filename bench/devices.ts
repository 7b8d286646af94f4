// SPDX-License-Identifier: Apache-2.0
/** `npm run bench:devices`: a training step on several devices of the plugin, against as many of XLA:CPU. */
import { measure } from './rows.js';

await measure('devices', ['devices/scaling.py']);
