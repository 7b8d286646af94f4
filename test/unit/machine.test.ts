// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Variant } from '../../engine/api.js';
import { thisMachine } from '../../engine/machine/machine.js';
import { EngineRig, type RunRecord, type TestStage } from '../rigs/engine-rig.js';

const GIB = 1024 ** 3;
const HOST = { cores: 8, memory: 10 * GIB };

/** The machine as these files describe it. */
function machine(files: Readonly<Record<string, string>>) {
  return thisMachine((file) => files[file], HOST);
}

describe('what this process may use', () => {
  it('is what the machine has where there are no control groups', () => {
    expect(machine({})).toEqual(HOST);
    expect(machine({ '/proc/self/cgroup': '0::/\n' })).toEqual(HOST);
  });

  it('is what the kernel says is available, not only what is free', () => {
    const found = thisMachine((file) =>
      file === '/proc/meminfo' ? 'MemFree: 1 kB\nMemAvailable:  2048 kB\n' : undefined,
    );
    expect(found.memory).toBe(2048 * 1024);
  });

  it('is limited by a group of version 2, or by one around it', () => {
    const dir = '/sys/fs/cgroup/a';
    const files = {
      '/proc/self/cgroup': '0::/a/b\n',
      [`${dir}/b/memory.max`]: 'max\n',
      [`${dir}/b/memory.current`]: `${GIB}\n`,
      [`${dir}/b/cpu.max`]: 'max 100000\n',
      [`${dir}/memory.max`]: `${4 * GIB}\n`,
      [`${dir}/memory.current`]: `${3 * GIB}\n`,
      [`${dir}/memory.stat`]: `anon 5\ninactive_file ${2 * GIB}\n`,
      [`${dir}/cpu.max`]: '150000 100000\n',
    };
    expect(machine(files)).toEqual({ cores: 2, memory: 3 * GIB });
  });

  it('is limited by groups of version 1, whose own path a container does not show', () => {
    const files = {
      '/proc/self/cgroup': '4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${2 * GIB}\n`,
      '/sys/fs/cgroup/memory/memory.usage_in_bytes': `${GIB}\n`,
      '/sys/fs/cgroup/memory/memory.stat': `total_inactive_file ${GIB / 2}\n`,
      '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '400000\n',
      '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
    };
    expect(machine(files)).toEqual({ cores: 4, memory: 1.5 * GIB });
  });

  it('has no limit where version 1 says so with a number, or with -1', () => {
    const files = {
      '/proc/self/cgroup': '4:memory:/\n3:cpu:/\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
      '/sys/fs/cgroup/memory/memory.usage_in_bytes': '100\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    };
    expect(machine(files)).toEqual(HOST);
  });

  it('is nothing, and not less, in a group that is over its limit', () => {
    const dir = '/sys/fs/cgroup';
    const files = { '/proc/self/cgroup': '0::/', [`${dir}/memory.max`]: '10', [`${dir}/memory.current`]: '20' };
    expect(machine(files).memory).toBe(0);
  });
});

describe('nodes side by side', () => {
  let rig: EngineRig;
  beforeEach(() => (rig = new EngineRig()));
  afterEach(() => {
    rig.remove();
  });

  /** Names of the nodes at work when each one began, itself last. */
  let together: string[][] = [];
  let meet: (() => void) | undefined;
  let met: Promise<void>;
  const running = new Set<string>();
  /** Ends once `guests` nodes have been at work at one time. */
  const stage = (name: string, gib: number, guests: number): TestStage => ({
    memory: gib * GIB,
    run: async () => {
      running.add(name);
      together.push([...running]);
      if (running.size === guests) meet?.();
      await met;
      running.delete(name);
    },
  });
  const run = (stages: Readonly<Record<string, TestStage>>, gib: number): Promise<RunRecord> => {
    together = [];
    met = new Promise((resolve) => (meet = resolve));
    return rig.run(stages, { jobs: 4, machine: { cores: 4, memory: gib * GIB } });
  };
  const warnings = (record: RunRecord): string[] =>
    record.events.flatMap((event) => (event.type === 'node-warning' ? [event.text] : []));

  const four = (gib: number, guests: number): Readonly<Record<string, TestStage>> =>
    Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, stage(name, gib, guests)]));
  const most = (): number => Math.max(...together.map((names) => names.length));

  it('are as many as their memory allows', async () => {
    await run(four(2, 2), 5);
    expect(most()).toBe(2);
    rig.remove();
    await run(four(2, 4), 8);
    expect(most()).toBe(4);
  });

  it('count as nothing where the stage says nothing', async () => {
    await run(four(0, 4), 0);
    expect(most()).toBe(4);
  });

  it('leave one alone that takes more than there is, and it is said', async () => {
    const record = await run({ a: stage('a', 1, 2), giant: stage('giant', 9, 1), c: stage('c', 1, 2) }, 4);
    expect(record.ok).toBe(true);
    expect(together).toContainEqual(['giant']);
    expect(together.find((names) => names.length > 1)?.sort()).toEqual(['a', 'c']);
    expect(warnings(record)).toEqual(['It may take 9.0 GiB of memory; 4.0 GiB were free when the run began.']);
  });

  it('may take amounts that depend on the variant and the cores', async () => {
    const memory = (variant: Variant, cores: number): number => (variant.id === '' ? cores : 0) * GIB;
    const record = await run({ a: { ...stage('a', 0, 1), memory } }, 2);
    expect(warnings(record)[0]).toContain('4.0 GiB of memory');
  });
});
