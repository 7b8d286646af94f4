// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupAlive } from '../../engine/machine/process-table.js';
import { EngineRig } from '../rigs/engine-rig.js';
import { FakeCommands } from '../rigs/fake-command.js';

let rig: EngineRig;
let commands: FakeCommands;
beforeEach(async () => {
  rig = new EngineRig();
  commands = await FakeCommands.start();
});
afterEach(async () => {
  await commands.stop();
  rig.remove();
});

interface EngineProcess {
  readonly child: ChildProcess;
  /** [exit code, signal] */
  readonly ended: Promise<unknown[]>;
  output(): string;
  /** Resolves once the output holds `text`. */
  says(text: string): Promise<void>;
}

function startRun(): EngineProcess {
  const script = fileURLToPath(new URL('../rigs/engine-run.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, rig.root, commands.socketPath]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    child,
    ended: once(child, 'close'),
    output: () => output,
    says: async (text) => {
      while (!output.includes(text)) await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
    },
  };
}

/** The next run is right, and gives what an undisturbed one would. */
async function expectRecovery(): Promise<void> {
  const next = startRun();
  await (await commands.next('slow')).exit(0);
  expect(await next.ended, next.output()).toEqual([0, null]);
  expect(next.output()).toContain('1 stage ran, 1 unchanged');
  expect(rig.read('dist/slow.txt')).toBe('whole');
  expect(rig.list('.pipeline/tmp')).toEqual([]);
}

describe('a run', () => {
  it('killed with SIGKILL leaves no hit, and the next run ends its children and takes over', async () => {
    const run = startRun();
    const command = await commands.next('slow');
    run.child.kill('SIGKILL');
    expect(await run.ended).toEqual([null, 'SIGKILL']);
    expect(rig.exists('dist')).toBe(false);
    expect(rig.list('.pipeline/out').filter((name) => name.startsWith('slow'))).toEqual([]);
    expect(groupAlive(command.pid), 'nobody could end it yet').toBe(true);
    const recovery = expectRecovery();
    await command.gone;
    await recovery;
    expect(groupAlive(command.pid)).toBe(false);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('that gets %s ends its children and exits with %i', async (signal, code) => {
    const run = startRun();
    const command = await commands.next('slow');
    await command.tell({ spawn: 'grandchild' });
    const grandchild = await commands.next('grandchild');
    run.child.kill(signal);
    expect(await run.ended, run.output()).toEqual([code, null]);
    await Promise.all([command.gone, grandchild.gone]);
    expect(groupAlive(command.pid)).toBe(false);
    expect(run.output()).toContain(`Cancelled by ${signal}`);
    expect(rig.exists('dist')).toBe(false);
    expect(rig.list('.pipeline/tmp')).toEqual([]);
    await expectRecovery();
  });

  it('waits for another, and then has nothing to do', async () => {
    const first = startRun();
    const command = await commands.next('slow');
    const second = startRun();
    await second.says('waiting for another run');
    await command.exit(0);
    expect(await first.ended, first.output()).toEqual([0, null]);
    expect(await second.ended, second.output()).toEqual([0, null]);
    expect(second.output()).toContain('Nothing to do: 2 stages unchanged');
  });
});
