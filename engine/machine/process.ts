// SPDX-License-Identifier: Apache-2.0
/**
 * The only door to child processes. Each child leads a process group of its own, so that ending it ends
 * what it started too; on cancel, time-out or silence the group gets SIGINT, then SIGTERM, then SIGKILL.
 *
 * If this process is itself killed with SIGKILL nothing can be done at once; `ChildLedger` lets the next
 * run end what was left.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecOptions, ExecResult } from '../api.js';
import { fail, PipelineFailure, type Failure } from '../failure.js';
import { hasCode } from '../base/files.js';
import { groupAlive, processStart, signalGroup } from './process-table.js';

export interface RunCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly options: ExecOptions;
  /** Aborted: the group is ended and the call fails with the abort reason's failure. */
  readonly signal: AbortSignal;
  /** Told of all output as it comes, also of what makes no whole line yet. */
  readonly onOutput?: () => void;
  readonly onLine: (stream: 'stdout' | 'stderr', line: string) => void;
  /** Named in the failure. */
  readonly log?: string;
  readonly ledger?: ChildLedger;
  readonly grace?: Grace;
}

/** How long a group is given to end after SIGINT and after SIGTERM. */
export interface Grace {
  readonly intMs: number;
  readonly termMs: number;
}

const GRACE: Grace = { intMs: 5_000, termMs: 3_000 };
const TAIL_LINES = 20;
/** How long the output of a program's children is waited for after the program itself ended. */
const DRAIN_MS = 1_000;
const POLL_MS = 25;
const MAX_OUTPUT = 256 * 1024 * 1024;

/** Groups that run now; ended if this process exits while they do. */
const live = new Set<number>();
process.on('exit', () => {
  for (const group of live) signalGroup(group, 'SIGKILL');
});

/** Runs a program to its end. Fails with kind `command`, `timeout`, `tool-missing`, `disk` or the abort reason. */
export async function runCommand(run: RunCommand): Promise<ExecResult> {
  throwIfAborted(run.signal);
  const { execa } = await import('execa');
  throwIfAborted(run.signal);
  const child = execa(run.command, run.args, {
    cwd: run.cwd,
    env: childEnv(run.env),
    extendEnv: false,
    ...(run.options.input === undefined ? { stdin: 'ignore' as const } : { input: run.options.input }),
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stripFinalNewline: false,
  });
  const { pid } = child;
  if (pid !== undefined) {
    live.add(pid);
    run.ledger?.add(pid);
  }
  const ender = pid === undefined ? undefined : new Ender(pid, run);
  const output = collect(run, child.stdout, child.stderr, () => {
    ender?.heard();
    run.onOutput?.();
  });
  try {
    child.once('exit', () => void ender?.leaderEnded([child.stdout, child.stderr]));
    const result = await child;
    await ender?.settled();
    output.end();
    return conclude(run, result, output, ender?.reason);
  } finally {
    ender?.stop();
    if (pid !== undefined) {
      live.delete(pid);
      run.ledger?.remove(pid);
    }
  }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortReason(signal);
}

/** What a node or command fails with once `signal` is aborted. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  if (reason instanceof PipelineFailure) return reason;
  return new PipelineFailure({ kind: 'cancelled', message: 'Cancelled', signal: 'SIGINT' });
}

/** The inherited environment without what npm and npx add for their own scripts. */
export function childEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const noise = /^(npm_|INIT_CWD$)/i;
  const kept = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(kept.filter(([name]) => !noise.test(name)));
}

type EndReason = 'aborted' | 'timeout' | 'silence';

/** Ends one process group when it is told to: by the run's signal, by its time-out or by its silence. */
class Ender {
  readonly #group: number;
  readonly #run: RunCommand;
  readonly #timeout: NodeJS.Timeout | undefined;
  readonly #silence: NodeJS.Timeout | undefined;
  readonly #onAbort: () => void;
  #ending: Promise<void> | undefined;
  #leader: Promise<void> | undefined;
  /** Why the group was ended, if it was. */
  reason: EndReason | undefined;

  constructor(group: number, run: RunCommand) {
    this.#group = group;
    this.#run = run;
    this.#onAbort = () => {
      this.#end('aborted');
    };
    run.signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#timeout = this.#endAfter(run.options.timeoutMs, 'timeout');
    this.#silence = this.#endAfter(run.options.silenceMs, 'silence');
    if (run.signal.aborted) this.#onAbort();
  }

  heard(): void {
    // Refreshing a timer that has fired would start it again.
    if (this.reason === undefined) this.#silence?.refresh();
  }

  #endAfter(ms: number | undefined, reason: EndReason): NodeJS.Timeout | undefined {
    if (ms === undefined) return undefined;
    return setTimeout(() => {
      this.#end(reason);
    }, ms);
  }

  #end(reason: EndReason): void {
    this.reason ??= reason;
    this.#ending ??= endGroup(this.#group, this.#run.grace ?? GRACE);
  }

  /** Ends what the leader left running in its group. Pipes that others hold are waited for only a while. */
  leaderEnded(pipes: readonly { destroy(): void }[]): Promise<void> {
    this.#leader ??= (async () => {
      if (this.#ending !== undefined) await this.#ending;
      else if (groupAlive(this.#group)) await endGroup(this.#group, { intMs: 0, termMs: DRAIN_MS });
      const timer = setTimeout(() => {
        pipes.forEach((pipe) => {
          pipe.destroy();
        });
      }, DRAIN_MS);
      timer.unref();
    })();
    return this.#leader;
  }

  async settled(): Promise<void> {
    await this.#ending;
    await this.#leader;
  }

  stop(): void {
    clearTimeout(this.#timeout);
    clearTimeout(this.#silence);
    this.#run.signal.removeEventListener('abort', this.#onAbort);
  }
}

async function endGroup(group: number, grace: Grace): Promise<void> {
  for (const [signal, wait] of [
    ['SIGINT', grace.intMs],
    ['SIGTERM', grace.termMs],
    ['SIGKILL', 2_000],
  ] as const) {
    if (wait === 0) continue;
    signalGroup(group, signal);
    for (const until = Date.now() + wait; Date.now() < until;) {
      if (!groupAlive(group)) return;
      await sleep(POLL_MS);
    }
  }
}

type Collected = ReturnType<typeof collect>;

function collect(run: RunCommand, stdout: NodeJS.ReadableStream, stderr: NodeJS.ReadableStream, heard: () => void) {
  const tail: string[] = [];
  const text = { stdout: '', stderr: '' };
  const splitters = (['stdout', 'stderr'] as const).map((name) => {
    const lines = new LineSplitter((line) => {
      tail.push(line);
      if (tail.length > TAIL_LINES) tail.shift();
      if (name === 'stderr' || run.options.echo !== false) run.onLine(name, line);
    });
    const stream = name === 'stdout' ? stdout : stderr;
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => {
      heard();
      const piece = decoder.write(chunk);
      // Only the log keeps more than this: nobody parses as much, and the compilers need the memory.
      if (text[name].length < MAX_OUTPUT) text[name] += piece;
      lines.push(piece);
    });
    return lines;
  });
  return {
    tail,
    text,
    end: () => {
      splitters.forEach((splitter) => {
        splitter.end();
      });
    },
  };
}

/** Cuts text into lines. Of a line that is redrawn with carriage returns (a progress bar) the last state counts. */
export class LineSplitter {
  readonly #emit: (line: string) => void;
  #rest = '';

  constructor(emit: (line: string) => void) {
    this.#emit = emit;
  }

  push(text: string): void {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.#emit(lastState(part));
  }

  end(): void {
    if (this.#rest !== '') this.#emit(lastState(this.#rest));
    this.#rest = '';
  }
}

function lastState(line: string): string {
  const states = line.split('\r').filter((state) => state !== '');
  return states.at(-1) ?? '';
}

interface ChildEnd {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly code?: string | undefined;
  readonly originalMessage?: string | undefined;
}

function conclude(run: RunCommand, end: ChildEnd, output: Collected, ended: Ender['reason']): ExecResult {
  if (ended === 'aborted') throw abortReason(run.signal);
  const shown = commandLine(run);
  if (ended !== undefined) {
    const { timeoutMs = 0, silenceMs = 0 } = run.options;
    const what =
      ended === 'timeout' ? `did not end within ${duration(timeoutMs)}` : `printed nothing for ${duration(silenceMs)}`;
    const help = run.options.help ?? (run.log === undefined ? undefined : `Its output so far is in ${run.log}`);
    fail(withHelp({ kind: 'timeout', message: `${shown} ${what}` }, help));
  }
  const exitCode = end.exitCode ?? signalCode(end.signal);
  if (exitCode !== undefined && (run.options.okCodes ?? [0]).includes(exitCode)) return { exitCode, ...output.text };
  return fail(failureFor(run, end, output, shown));
}

/** What a shell's `$?` would be. */
function signalCode(signal: string | undefined): number | undefined {
  const number = os.constants.signals[signal as NodeJS.Signals] as number | undefined;
  return number === undefined ? undefined : 128 + number;
}

function failureFor(run: RunCommand, end: ChildEnd, output: Collected, shown: string): Failure {
  if (end.code === 'ENOENT' && fs.existsSync(run.cwd))
    return {
      kind: 'tool-missing',
      message: `${run.command} was not found`,
      help:
        run.options.help ??
        `Install ${path.basename(run.command)} or put it on the PATH; \`pipeline doctor\` lists what is needed.`,
    };
  if (
    end.code === 'ENOSPC' ||
    output.tail.some((line) => /No space left on device|\bENOSPC\b|Disk quota exceeded/.test(line))
  )
    return withHelp(
      { kind: 'disk', message: `No space left on the disk while ${path.basename(run.command)} ran in ${run.cwd}` },
      'Free some space, then run again.',
    );
  const how =
    end.exitCode !== undefined
      ? `ended with exit code ${end.exitCode}`
      : end.signal !== undefined
        ? `was ended by ${end.signal}`
        : `could not be started: ${end.originalMessage ?? end.code ?? 'unknown reason'}`;
  return {
    kind: 'command',
    message: `${path.basename(run.command)} ${how}`,
    command: shown,
    tail: [...output.tail],
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    ...(run.log === undefined ? {} : { log: run.log }),
    ...(run.options.help === undefined ? {} : { help: run.options.help }),
  };
}

function withHelp<F extends Failure>(failure: F, help: string | undefined): F {
  return help === undefined ? failure : { ...failure, help };
}

/** A time limit in words. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${ms / 1000} s`;
  return ms < 300_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** The command as one would type it. */
export function commandLine(run: Pick<RunCommand, 'command' | 'args'>): string {
  const quoted = (word: string): string =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
  return [run.command, ...run.args].map(quoted).join(' ');
}

/** The groups that a run has started, as files: so that the next run can end those of a run that was killed. */
export class ChildLedger {
  readonly #folder: string;
  constructor(folder: string) {
    this.#folder = folder;
  }

  add(pid: number): void {
    fs.mkdirSync(this.#folder, { recursive: true });
    fs.writeFileSync(path.join(this.#folder, String(pid)), processStart(pid) ?? '');
  }

  remove(pid: number): void {
    fs.rmSync(path.join(this.#folder, String(pid)), { force: true });
  }

  /** Ends the groups whose leader still runs and is the one that was noted. */
  static async endLeftovers(folder: string): Promise<void> {
    for (const name of readNames(folder)) {
      const pid = Number(name);
      const start = fs.readFileSync(path.join(folder, name), 'utf8');
      if (start !== '' && processStart(pid) === start) await endGroup(pid, { intMs: 0, termMs: 1_000 });
    }
  }
}

function readNames(folder: string): string[] {
  try {
    return fs.readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
