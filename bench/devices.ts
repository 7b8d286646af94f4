// SPDX-License-Identifier: Apache-2.0
/** `npm run bench:devices`: a training step on several devices of the plugin, against as many of XLA:CPU. */
import { benchCommand, runBench } from './command.js';
import { measure } from './rows.js';

const command = benchCommand(
  'bench:devices',
  'Times a training step on several devices, on the plugin and on XLA:CPU.',
);
await runBench(command, () => measure('devices', ['devices/scaling.py']));
