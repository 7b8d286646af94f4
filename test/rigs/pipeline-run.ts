// SPDX-License-Identifier: Apache-2.0
/** `node bin/pipeline.mjs` as a process of its own, watched while it runs: a test reacts to what it says and never sleeps. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Event } from '../../engine/events/event.js';
import type { Failure } from '../../engine/failure.js';

export interface RunOptions {
  /** Added to this process's environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Sent once, when the first event that fits arrives. */
  readonly signalWhen?: { readonly signal: NodeJS.Signals; readonly event: (event: Event) => boolean };
  /** The run is killed, and the test fails, when it takes longer. */
  readonly limitMs?: number;
  readonly umask?: string;
}

export interface PipelineResult {
  /** What a shell's `$?` would be: 128 + number if a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout and stderr as they came. */
  readonly output: string;
  /** The events of a run with `--json`. */
  readonly events: readonly Event[];
  readonly durationMs: number;
}

/** For what has hung: machines differ by a factor of three, and two files run at once. */
const LIMIT_MS = 19 * 60_000;
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** One start of the command line. Its children are in groups of their own, as the engine makes them. */
export class PipelineRun {
  readonly child: ChildProcess;
  readonly events: Event[] = [];
  readonly ended: Promise<PipelineResult>;
  output = '';
  #stdout = '';
  #stderr = '';
  #closed = false;
  readonly #startedAt = Date.now();
  readonly #watchers = new Set<() => void>();
  #signalWhen: RunOptions['signalWhen'];

  constructor(root: string, args: readonly string[], options: RunOptions = {}) {
    this.#signalWhen = options.signalWhen;
    const program = [process.execPath, path.join(root, 'bin', 'pipeline.mjs'), ...args];
    const [command = '', ...rest] =
      options.umask === undefined ? program : ['sh', '-c', `umask ${options.umask} && exec "$@"`, 'sh', ...program];
    this.child = spawn(command, rest, {
      cwd: root,
      env: { ...cleanEnv(), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.child;
    if (stdout === null || stderr === null) throw new Error('the pipes are missing');
    stdout.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    stderr.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
    for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    if (args.includes('--json'))
      createInterface({ input: stdout }).on('line', (line) => {
        this.#heard(line);
      });
    this.ended = this.#end(options.limitMs ?? LIMIT_MS, args);
  }

  /** Resolves with the first event that fits, said already or later; rejects if the run ends without it. */
  saw(fits: (event: Event) => boolean, what: string): Promise<Event> {
    return new Promise((resolve, reject) => {
      let from = 0;
      const look = (): void => {
        const found = this.events.slice(from).find(fits);
        from = this.events.length;
        if (found !== undefined) resolve(found);
        else if (this.#closed) reject(new Error(`the run ended without ${what}:\n${tail(this.output)}`));
        else return;
        this.#watchers.delete(look);
      };
      this.#watchers.add(look);
      look();
    });
  }

  #heard(line: string): void {
    if (!line.startsWith('{')) return;
    let event: Event;
    try {
      event = JSON.parse(line) as Event;
    } catch {
      return;
    }
    // `--dry-run --json` and the like print one value over many lines: no events.
    if (typeof event.type !== 'string') return;
    this.events.push(event);
    if (this.#signalWhen?.event(event) === true) {
      this.child.kill(this.#signalWhen.signal);
      this.#signalWhen = undefined;
    }
    for (const watcher of [...this.#watchers]) watcher();
  }

  async #end(limitMs: number, args: readonly string[]): Promise<PipelineResult> {
    const clock = { late: false };
    const timer = setTimeout(() => {
      clock.late = true;
      this.child.kill('SIGTERM');
      setTimeout(() => this.child.kill('SIGKILL'), 20_000).unref();
    }, limitMs);
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (...end) => {
        resolve(end);
      });
    }).finally(() => {
      clearTimeout(timer);
    });
    this.#closed = true;
    for (const watcher of [...this.#watchers]) watcher();
    if (clock.late)
      throw new Error(`pipeline ${args.join(' ')} did not end within ${limitMs} ms:\n${tail(this.output)}`);
    return {
      code: code ?? 128 + (SIGNAL_NUMBERS[signal ?? ''] ?? 0),
      stdout: this.#stdout,
      stderr: this.#stderr,
      output: this.output,
      events: this.events,
      durationMs: Date.now() - this.#startedAt,
    };
  }
}

function tail(text: string): string {
  return text.slice(-4_000);
}

/** This process's environment without what the test runner adds, and with nothing that leads out of a checkout. */
export function cleanEnv(): Record<string, string | undefined> {
  const noise = /^(VITEST|NODE_ENV|NODE_OPTIONS|NODE_V8_COVERAGE|TEST|DEV|PROD|MODE|BASE_URL|SSR|FORCE_COLOR)/;
  const leading =
    /^(PIPELINE_CACHE_DIR|PIPELINE_REMOTE_CACHE.*|PYTHONPATH|PYTHONHOME|VIRTUAL_ENV|SOURCE_DATE_EPOCH|GITHUB_ACTIONS)$/;
  const kept = Object.entries(process.env).filter(([name]) => !noise.test(name) && !leading.test(name));
  return { ...Object.fromEntries(kept), NO_COLOR: '1' };
}

type Of<T extends Event['type']> = Extract<Event, { readonly type: T }>;

function eventsOf<T extends Event['type']>(result: Pick<PipelineResult, 'events'>, type: T): readonly Of<T>[] {
  return result.events.filter((event): event is Of<T> => event.type === type);
}

/** Names of the nodes that ran, in the order they started. */
export function ranIn(result: Pick<PipelineResult, 'events'>): string[] {
  return eventsOf(result, 'node-started').map(({ node }) => node);
}

export function failureIn(result: PipelineResult): Failure {
  const [first] = eventsOf(result, 'node-failed');
  if (first === undefined) throw new Error(`no stage failed:\n${tail(result.output)}`);
  return first.failure;
}

/** Lines of a node's programs. */
export function linesOf(result: Pick<PipelineResult, 'events'>, node: string): string[] {
  return eventsOf(result, 'node-line').flatMap((event) => (event.node === node ? [event.line] : []));
}

/** True for a line of a node's output that fits. */
export function says(node: string, pattern: RegExp): (event: Event) => boolean {
  return (event) => event.type === 'node-line' && event.node === node && pattern.test(event.line);
}

/** Ids of the processes that work in, or run a program of, a folder. */
export function processesOf(folder: string): number[] {
  const inside = (text: string): boolean => text.includes(folder);
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const link = (part: string): string => fs.readlinkSync(`/proc/${name}/${part}`);
        return inside(link('cwd')) || inside(link('exe')) || inside(fs.readFileSync(`/proc/${name}/cmdline`, 'utf8'));
      } catch {
        // The process is gone, a thread of the kernel, or another user's: none of ours.
        return false;
      }
    })
    .map(Number);
}
