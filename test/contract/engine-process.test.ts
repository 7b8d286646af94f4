// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExecOptions } from '../../engine/api.js';
import { PipelineFailure, type Failure } from '../../engine/failure.js';
import { ChildLedger, runCommand, type RunCommand } from '../../engine/machine/process.js';
import { groupAlive } from '../../engine/machine/process-table.js';
import { FakeCommands } from '../rigs/fake-command.js';

let commands: FakeCommands;
let lines: string[];
let controller: AbortController;
beforeEach(async () => {
  commands = await FakeCommands.start();
  lines = [];
  controller = new AbortController();
});
afterEach(() => commands.stop());

function start(name: string, options: ExecOptions = {}, more: Partial<RunCommand> = {}): ReturnType<typeof runCommand> {
  const [command, ...args] = commands.command(name);
  const run = runCommand({
    command,
    args,
    cwd: os.tmpdir(),
    env: process.env,
    options,
    signal: controller.signal,
    onLine: (stream, line) => lines.push(`${stream} ${line}`),
    ...more,
  });
  // Tests look at the rejection later; until then it must not count as unhandled.
  run.catch(() => undefined);
  return run;
}

async function failureOf(run: Promise<unknown>): Promise<Failure> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PipelineFailure) return error.failure;
  throw new Error('the command did not fail', { cause: error });
}

describe('a command', () => {
  it('gives its output, whole and line by line', async () => {
    const run = start('c');
    const fake = await commands.next('c');
    await fake.tell({ stdout: 'one\ntw' });
    await fake.tell({ stdout: 'o\n50%\r100%\n' });
    await fake.tell({ stderr: 'oops' });
    await fake.exit(0);
    expect(await run).toEqual({ exitCode: 0, stdout: 'one\ntwo\n50%\r100%\n', stderr: 'oops' });
    expect(lines.sort()).toEqual(['stderr oops', 'stdout 100%', 'stdout one', 'stdout two']);
  });

  it('keeps parsed output out of the lines', async () => {
    const run = start('c', { echo: false });
    const fake = await commands.next('c');
    await fake.tell({ stdout: '{"json": 1}\n' });
    await fake.exit(0);
    expect((await run).stdout).toBe('{"json": 1}\n');
    expect(lines).toEqual([]);
  });

  it('that fails tells its command line, exit code, last lines and what to try', async () => {
    const run = start('c', { help: 'try harder' }, { log: '/tmp/x.log' });
    const fake = await commands.next('c');
    await fake.tell({ stdout: Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('') });
    await fake.exit(3);
    const failure = await failureOf(run);
    expect(failure).toMatchObject({ kind: 'command', exitCode: 3, log: '/tmp/x.log', help: 'try harder' });
    if (failure.kind !== 'command') throw new Error('not a command failure');
    expect(failure.tail).toHaveLength(20);
    expect(failure.tail.at(-1)).toBe('line 29');
    expect(failure.command).toContain('fake-command.mjs');
  });

  it('may end with other codes if they are said to be fine', async () => {
    const run = start('c', { okCodes: [0, 5] });
    await (await commands.next('c')).exit(5);
    expect((await run).exitCode).toBe(5);
  });

  it('that writes that the disk is full fails with that', async () => {
    const run = start('c');
    const fake = await commands.next('c');
    await fake.tell({ stderr: 'ld: final link failed: No space left on device\n' });
    await fake.exit(1);
    expect((await failureOf(run)).kind).toBe('disk');
  });

  it('that does not exist is a missing tool', async () => {
    expect(await failureOf(start('c', {}, { command: 'no-such-program-here' }))).toMatchObject({
      kind: 'tool-missing',
      message: 'no-such-program-here was not found',
    });
  });

  it('that died of a signal says which', async () => {
    const run = start('c');
    const fake = await commands.next('c');
    process.kill(fake.pid, 'SIGSEGV');
    expect((await failureOf(run)).message).toContain('SIGSEGV');
  });

  it('gets no input, no npm variables, and leads its own process group', async () => {
    const shell = { command: 'sh', args: ['-c', 'cat; env; ps -o pgid= -p $$'] };
    const env = { ...process.env, npm_config_x: '1', npm_lifecycle_event: 'x', KEPT: 'yes' };
    const { stdout } = await start('c', {}, { ...shell, env });
    expect(stdout).toContain('KEPT=yes');
    expect(stdout).not.toMatch(/^npm_/m);
    expect(Number(stdout.trim().split('\n').at(-1))).not.toBe(process.pid);
  });

  it('takes input if there is some', async () => {
    expect((await start('c', { input: 'hello' }, { command: 'cat', args: [] })).stdout).toBe('hello');
  });
});

describe('ending a command', () => {
  const reason = new PipelineFailure({ kind: 'cancelled', message: 'Cancelled by SIGINT', signal: 'SIGINT' });
  const grace = { intMs: 300, termMs: 300 };

  it('ends its children too', async () => {
    const run = start('parent');
    const parent = await commands.next('parent');
    await parent.tell({ spawn: 'child' });
    const child = await commands.next('child');
    controller.abort(reason);
    expect(await failureOf(run)).toMatchObject({ kind: 'cancelled', signal: 'SIGINT' });
    await Promise.all([parent.gone, child.gone]);
    expect(groupAlive(parent.pid)).toBe(false);
  });

  it('goes from SIGINT over SIGTERM to SIGKILL, for the grandchild that ignores both', async () => {
    const run = start('parent', {}, { grace });
    const parent = await commands.next('parent');
    await parent.tell({ spawn: 'child' });
    const child = await commands.next('child');
    await child.tell({ ignore: 'SIGINT' });
    await child.tell({ ignore: 'SIGTERM' });
    controller.abort(reason);
    await child.signalled('SIGINT');
    await child.signalled('SIGTERM');
    await child.gone;
    expect((await failureOf(run)).kind).toBe('cancelled');
    expect(child.signals).toEqual(['SIGINT', 'SIGTERM']);
    expect(groupAlive(parent.pid)).toBe(false);
  });

  it('happens at its time-out', async () => {
    // Longer than a busy machine takes to start it.
    const run = start('c', { timeoutMs: 4000 }, { grace });
    const fake = await commands.next('c');
    expect(await failureOf(run)).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('4 s') as string,
    });
    await fake.gone;
  });

  it('happens when it falls silent, however long it has been at work', async () => {
    const run = start('c', { silenceMs: 2000 }, { grace });
    const fake = await commands.next('c');
    const begun = performance.now();
    while (performance.now() - begun < 3000) {
      await fake.tell({ stdout: '.' });
      await sleep(20);
    }
    expect(groupAlive(fake.pid)).toBe(true);
    expect(await failureOf(run)).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('printed nothing for 2 s') as string,
    });
    await fake.gone;
  });

  it('does not start one after the abort', async () => {
    controller.abort(reason);
    expect((await failureOf(start('c'))).kind).toBe('cancelled');
  });

  it('leaves nothing of its group when it ends by itself', async () => {
    const run = start('parent');
    const parent = await commands.next('parent');
    await parent.tell({ spawn: 'orphan' });
    const orphan = await commands.next('orphan');
    await parent.exit(0);
    await orphan.gone;
    expect((await run).exitCode).toBe(0);
    expect(groupAlive(parent.pid)).toBe(false);
  });

  it('can be done by a later process, from the ledger', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ledger-'));
    const run = start('c', {}, { ledger: new ChildLedger(folder) });
    const fake = await commands.next('c');
    expect(fs.readdirSync(folder)).toEqual([String(fake.pid)]);
    await ChildLedger.endLeftovers(folder);
    await fake.gone;
    expect((await failureOf(run)).message).toContain('SIGTERM');
    expect(fs.readdirSync(folder)).toEqual([]);
    fs.rmSync(folder, { recursive: true });
  });

  it('does not touch a process that only has the same number', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ledger-'));
    const run = start('c');
    const fake = await commands.next('c');
    fs.writeFileSync(path.join(folder, String(fake.pid)), 'another boot/12');
    await ChildLedger.endLeftovers(folder);
    await fake.exit(0);
    expect((await run).exitCode).toBe(0);
    fs.rmSync(folder, { recursive: true });
  });
});

describe('a program that leaves its group and keeps the pipes', () => {
  it('does not hold up the one that started it', async () => {
    const shell = { command: 'sh', args: ['-c', 'setsid sleep 30 & echo $!'] };
    const { stdout } = await start('c', {}, shell);
    process.kill(Number(stdout.trim()), 'SIGKILL');
  });
});
