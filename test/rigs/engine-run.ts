// SPDX-License-Identifier: Apache-2.0
// One run of the engine as a process of its own, for tests that kill it.
// usage: node --import tsx engine-run.ts ROOT SOCKET
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSink } from '../../engine/events/view.js';
import { exitCodeOf } from '../../engine/failure.js';
import { cancelOnSignals } from '../../engine/machine/signals.js';
import { EngineRig } from './engine-rig.js';

const [, , root = '', socket = ''] = process.argv;
const script = fileURLToPath(new URL('./fake-command.mjs', import.meta.url));
const rig = new EngineRig(root);
const cancellation = cancelOnSignals();
const view = createSink('plain', process.stdout);
const result = await rig.run(
  {
    quick: {
      run: (context) => {
        fs.writeFileSync(path.join(context.outDir, 'quick.txt'), 'quick');
      },
    },
    slow: {
      needs: ['quick'],
      publish: [{ from: '*.txt', to: 'dist' }],
      run: async (context) => {
        fs.writeFileSync(path.join(context.outDir, 'slow.txt'), 'half');
        await context.exec(process.execPath, [script, socket, 'slow']);
        fs.writeFileSync(path.join(context.outDir, 'slow.txt'), 'whole');
      },
    },
  },
  { signal: cancellation.signal, emit: view.emit },
);
await view.close();
cancellation.dispose();
process.exitCode = result.failures[0] === undefined ? 0 : exitCodeOf(result.failures[0].failure);
