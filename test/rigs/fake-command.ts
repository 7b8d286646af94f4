// SPDX-License-Identifier: Apache-2.0
/**
 * Fake commands: real child processes that do only what the test tells them, over a local socket. A test waits
 * for what happens instead of sleeping.
 */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface Order {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly ignore?: NodeJS.Signals;
  readonly spawn?: string;
  readonly exit?: number;
}

interface Report {
  readonly name?: string;
  readonly pid?: number;
  readonly signal?: string;
}

/** One running fake command. */
export class Invocation {
  readonly pid: number;
  readonly signals: string[] = [];
  /** Resolves when its socket closes: the process is gone. */
  readonly gone: Promise<void>;
  readonly #socket: net.Socket;
  #acknowledge: (() => void)[] = [];
  #signalled: (() => void)[] = [];

  constructor(pid: number, socket: net.Socket) {
    this.pid = pid;
    this.#socket = socket;
    this.gone = new Promise((resolve) =>
      socket.once('close', () => {
        resolve();
      }),
    );
  }

  heard(report: Report): void {
    if (report.signal === undefined) this.#acknowledge.shift()?.();
    else {
      this.signals.push(report.signal);
      this.#signalled.forEach((resolve) => {
        resolve();
      });
      this.#signalled = [];
    }
  }

  /** Resolves when the command has done it. */
  async tell(order: Order): Promise<void> {
    const done = new Promise<void>((resolve) => this.#acknowledge.push(resolve));
    this.#socket.write(`${JSON.stringify(order)}\n`);
    await done;
  }

  async exit(code: number): Promise<void> {
    this.#socket.write(`${JSON.stringify({ exit: code } satisfies Order)}\n`);
    await this.gone;
  }

  async signalled(signal: string): Promise<void> {
    while (!this.signals.includes(signal)) await new Promise<void>((resolve) => this.#signalled.push(resolve));
  }
}

export class FakeCommands {
  readonly socketPath: string;
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fake-command-'));
  readonly #server: net.Server;
  readonly #arrived = new Map<string, Invocation[]>();
  readonly #awaited = new Map<string, ((invocation: Invocation) => void)[]>();
  readonly #sockets = new Set<net.Socket>();

  private constructor() {
    this.socketPath = path.join(this.#folder, 's');
    this.#server = net.createServer((socket) => {
      this.#serve(socket);
    });
  }

  static async start(): Promise<FakeCommands> {
    const rig = new FakeCommands();
    await new Promise<void>((resolve) => rig.#server.listen(rig.socketPath, resolve));
    return rig;
  }

  /** The command line of a fake command called `name`. */
  command(name: string): [string, ...string[]] {
    const script = fileURLToPath(new URL('./fake-command.mjs', import.meta.url));
    return [process.execPath, script, this.socketPath, name];
  }

  /** The next invocation of `name`: one that is there already, or the one that comes. */
  next(name: string): Promise<Invocation> {
    const there = this.#arrived.get(name)?.shift();
    if (there !== undefined) return Promise.resolve(there);
    return new Promise((resolve) => this.#awaited.set(name, [...(this.#awaited.get(name) ?? []), resolve]));
  }

  /** Ends what still runs: a fake command exits when its socket closes. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    let invocation: Invocation | undefined;
    createInterface({ input: socket }).on('line', (line) => {
      const report = JSON.parse(line) as Report;
      if (invocation !== undefined) {
        invocation.heard(report);
        return;
      }
      invocation = new Invocation(report.pid ?? 0, socket);
      const name = report.name ?? '';
      const waiter = this.#awaited.get(name)?.shift();
      if (waiter !== undefined) waiter(invocation);
      else this.#arrived.set(name, [...(this.#arrived.get(name) ?? []), invocation]);
    });
  }
}
