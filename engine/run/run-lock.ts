// SPDX-License-Identifier: Apache-2.0
/**
 * One run at a time in a checkout. The lock is a file that names its holder; it appears whole by link(2),
 * and one whose process is gone is taken over, so that a killed run never blocks the next.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../failure.js';
import { hasCode, lstatOrUndefined, readJsonFile } from '../base/files.js';
import { processStart } from '../machine/process-table.js';

interface Holder {
  readonly pid: number;
  /** Tells the process from a later one with the same number. */
  readonly start: string | undefined;
  readonly host: string;
  readonly since: string;
  readonly token: string;
}

export interface RunLock {
  release(): void;
}

export interface LockOptions {
  readonly noWait: boolean;
  readonly signal: AbortSignal;
  /** Called once, when the lock is held by another. */
  onWait(holder: string): void;
}

const POLL_MS = 100;
const HEARTBEAT_MS = 10_000;
/**
 * A holder on another host (a container that is gone) cannot be asked; without a heartbeat for this long it counts as
 * dead.
 */
const FOREIGN_STALE_MS = 60_000;
const GUARD_STALE_MS = 10_000;

export async function acquireRunLock(stateDir: string, options: LockOptions): Promise<RunLock> {
  const file = path.join(stateDir, 'run.lock');
  await fs.promises.mkdir(stateDir, { recursive: true });
  let told = false;
  for (;;) {
    options.signal.throwIfAborted();
    const token = tryAcquire(file);
    if (token !== undefined) return held(file, token);
    const holder = readHolder(file);
    if (holder !== undefined && isAlive(holder, file)) {
      const who = `process ${holder.pid}${holder.host === os.hostname() ? '' : ` on ${holder.host}`}, since ${holder.since}`;
      if (options.noWait) busy(who);
      if (!told) options.onWait(who);
      told = true;
      await sleep(POLL_MS, undefined, { signal: options.signal }).catch(() => undefined);
    } else if (!breakStale(file)) await sleep(POLL_MS);
  }
}

function busy(who: string): never {
  fail({
    kind: 'busy',
    message: `Another run is at work in this checkout (${who})`,
    help: 'Wait for it to end, or run without --no-wait to queue behind it.',
  });
}

function tryAcquire(file: string): string | undefined {
  const token = randomBytes(8).toString('hex');
  const temp = `${file}.${token}`;
  const holder: Holder = {
    pid: process.pid,
    start: processStart(process.pid),
    host: os.hostname(),
    since: new Date().toISOString(),
    token,
  };
  try {
    fs.writeFileSync(temp, JSON.stringify(holder));
    fs.linkSync(temp, file);
    return token;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined;
    throw error;
  } finally {
    fs.rmSync(temp, { force: true });
  }
}

function held(file: string, token: string): RunLock {
  const beat = setInterval(() => {
    const now = new Date();
    fs.utimes(file, now, now, () => undefined);
  }, HEARTBEAT_MS);
  beat.unref();
  return {
    release() {
      clearInterval(beat);
      if (readHolder(file)?.token === token) fs.rmSync(file, { force: true });
    },
  };
}

function readHolder(file: string): Holder | undefined {
  return readJsonFile(file) as Holder | undefined;
}

function isAlive(holder: Holder, file: string): boolean {
  if (holder.host !== os.hostname()) {
    const stat = lstatOrUndefined(file);
    return stat !== undefined && Date.now() - stat.mtimeMs < FOREIGN_STALE_MS;
  }
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
  }
  const start = processStart(holder.pid);
  return start === undefined || holder.start === undefined || start === holder.start;
}

/**
 * Removes a lock whose holder is gone. Two waiters that see the same stale lock must not remove each
 * other's fresh one, so this is done under a second, very short lock and looks again first.
 */
function breakStale(file: string): boolean {
  const guard = `${file}.guard`;
  try {
    fs.mkdirSync(guard);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    const stat = lstatOrUndefined(guard);
    if (stat !== undefined && Date.now() - stat.mtimeMs > GUARD_STALE_MS)
      fs.rmSync(guard, { recursive: true, force: true });
    return false;
  }
  try {
    const holder = readHolder(file);
    if (holder === undefined || !isAlive(holder, file)) fs.rmSync(file, { force: true });
    return true;
  } finally {
    fs.rmSync(guard, { recursive: true, force: true });
  }
}
