// SPDX-License-Identifier: Apache-2.0
// A unit test that starts a program or opens a connection is not one: here both throw.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import dns from 'node:dns';

function forbid(what: string): () => never {
  return () => {
    throw new Error(`a unit test may not ${what}; move it to test/contract or use a fake`);
  };
}

const SPAWNERS = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;
for (const name of SPAWNERS) Object.assign(childProcess, { [name]: forbid('start a program') });
net.Socket.prototype.connect = forbid('open a connection');
Object.assign(dns, { lookup: forbid('look up a host name') });
Object.assign(dns.promises, { lookup: forbid('look up a host name') });
syncBuiltinESMExports();
