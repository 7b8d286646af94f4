// SPDX-License-Identifier: Apache-2.0
/** What the system says of other processes: read from /proc where there is one. */
import fs from 'node:fs';
import { hasCode } from '../base/files.js';

interface ProcStat {
  readonly state: string;
  readonly group: number;
  readonly start: string;
}

function procStat(pid: number | string): ProcStat | undefined {
  let text: string;
  try {
    text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name, in parentheses, may hold spaces and parentheses itself: fields count from the last `)`.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '?', group: Number(fields[2]), start: fields[19] ?? '' };
}

/** A mark that differs between two processes that had the same number; undefined where it is not known. */
export function processStart(pid: number): string | undefined {
  const stat = procStat(pid);
  if (stat === undefined) return undefined;
  return `${readBootId()}/${stat.start}`;
}

function readBootId(): string {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** True while a process of the group runs. Zombies do not count: where nobody reaps them they stay for ever. */
export function groupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
  }
  if (!fs.existsSync('/proc/self/stat')) return true;
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(procStat)
    .some((stat) => stat !== undefined && stat.group === group && stat.state !== 'Z' && stat.state !== 'X');
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    // Gone already, or (macOS) only zombies left.
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}
