// SPDX-License-Identifier: Apache-2.0
// A program that does what a test tells it over a socket: see fake-command.ts.
// usage: node fake-command.mjs SOCKET NAME
import { spawn } from 'node:child_process';
import net from 'node:net';
import { createInterface } from 'node:readline';

const [, , socketPath, name] = process.argv;
const socket = net.connect(socketPath);
const tell = (message) => socket.write(`${JSON.stringify(message)}\n`);

const orders = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  // Tells of the signal, and goes on living.
  ignore: (signal) => process.on(signal, () => tell({ signal })),
  // A child of this program in the same process group, driven over the same socket server.
  spawn: (child) => spawn(process.execPath, [process.argv[1], socketPath, child], { stdio: 'inherit' }),
  exit: (code) => process.exit(code),
};

tell({ name, pid: process.pid });
createInterface({ input: socket }).on('line', (line) => {
  for (const [order, argument] of Object.entries(JSON.parse(line))) orders[order](argument);
  tell({ done: true });
});
socket.on('close', () => process.exit(99));
