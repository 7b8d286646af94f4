// SPDX-License-Identifier: Apache-2.0
/** How many cores and how much memory this process may use: of the machine, and of the control groups it is in. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasCode } from '../base/files.js';

export interface Machine {
  readonly cores: number;
  /** Bytes that are free now, or that the kernel can free by dropping clean pages of files. */
  readonly memory: number;
}

/** Text of a file, undefined if there is none. */
type Read = (file: string) => string | undefined;

const CGROUPS = '/sys/fs/cgroup';

export function thisMachine(read: Read = readText, host: Machine = hostOf(read)): Machine {
  const groups = groupsOf(read('/proc/self/cgroup') ?? '');
  const cores = [...groups.unified.map((dir) => quota2(read, dir)), ...groups.cpu.map((dir) => quota1(read, dir))];
  const memory = [...groups.unified.map((dir) => left2(read, dir)), ...groups.memory.map((dir) => left1(read, dir))];
  return { cores: least(host.cores, cores), memory: least(host.memory, memory) };
}

function hostOf(read: Read): Machine {
  const available = numberOf(/^MemAvailable:\s*(\d+) kB/m.exec(read('/proc/meminfo') ?? '')?.[1]);
  return { cores: os.availableParallelism(), memory: available === undefined ? os.freemem() : available * 1024 };
}

interface Groups {
  readonly unified: readonly string[];
  readonly memory: readonly string[];
  readonly cpu: readonly string[];
}

/** Folders of the groups that hold this process and of those around them; limits of any may be the ones that bind. */
function groupsOf(text: string): Groups {
  const found: Record<keyof Groups, string[]> = { unified: [], memory: [], cpu: [] };
  for (const line of text.split('\n')) {
    const [, controllers, group] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || group === undefined) continue;
    if (controllers === '') found.unified.push(...upwards(CGROUPS, group));
    for (const name of controllers.split(',')) {
      if (name === 'memory') found.memory.push(...upwards(`${CGROUPS}/${controllers}`, group));
      if (name === 'cpu') found.cpu.push(...upwards(`${CGROUPS}/${controllers}`, group));
    }
  }
  return found;
}

/** Inside a container the group's own path may not be there, but its root is. */
function upwards(root: string, group: string): string[] {
  const found: string[] = [];
  for (let at = path.posix.normalize(group); ; at = path.posix.dirname(at)) {
    found.push(at === '/' ? root : root + at);
    if (at === '/') return found;
  }
}

function quota2(read: Read, dir: string): number | undefined {
  const [quota, period] = (read(`${dir}/cpu.max`) ?? '').trim().split(' ').map(numberOf);
  return coresOf(quota, period);
}

function quota1(read: Read, dir: string): number | undefined {
  return coresOf(numberOf(read(`${dir}/cpu.cfs_quota_us`)), numberOf(read(`${dir}/cpu.cfs_period_us`)));
}

function coresOf(quota: number | undefined, period: number | undefined): number | undefined {
  return quota === undefined || period === undefined || period === 0 ? undefined : Math.ceil(quota / period);
}

function left2(read: Read, dir: string): number | undefined {
  const used = numberOf(read(`${dir}/memory.current`));
  return leftOf(numberOf(read(`${dir}/memory.max`)), used, read(`${dir}/memory.stat`), 'inactive_file');
}

function left1(read: Read, dir: string): number | undefined {
  const used = numberOf(read(`${dir}/memory.usage_in_bytes`));
  return leftOf(
    numberOf(read(`${dir}/memory.limit_in_bytes`)),
    used,
    read(`${dir}/memory.stat`),
    'total_inactive_file',
  );
}

/** Pages of files that were read and not used again count as used, but give way at once. */
function leftOf(
  limit: number | undefined,
  used: number | undefined,
  stat: string | undefined,
  clean: string,
): number | undefined {
  if (limit === undefined || used === undefined) return undefined;
  const reclaimable = numberOf(new RegExp(`^${clean} (\\d+)$`, 'm').exec(stat ?? '')?.[1]) ?? 0;
  return Math.max(0, limit - Math.max(0, used - reclaimable));
}

/** `max`, -1 and what is not there set no limit. */
function numberOf(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^\d+$/.test(trimmed) ? Number(trimmed) : undefined;
}

function least(host: number, limits: readonly (number | undefined)[]): number {
  return Math.min(host, ...limits.filter((limit) => limit !== undefined));
}

function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EOPNOTSUPP', 'ENODEV')) return undefined;
    throw error;
  }
}
