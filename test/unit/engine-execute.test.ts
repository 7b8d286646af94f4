// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CacheStore } from '../../engine/cache/store.js';
import { fail, PipelineFailure } from '../../engine/failure.js';
import { EngineRig, writing, type RunRecord, type TestStage } from '../rigs/engine-rig.js';

let rig: EngineRig;
beforeEach(() => (rig = new EngineRig()));
afterEach(() => {
  vi.restoreAllMocks();
  rig.remove();
});

const kinds = (run: RunRecord): string[] => run.failures.map(({ failure }) => failure.kind);
const hits = (run: RunRecord): string[] =>
  run.events.flatMap((event) => (event.type === 'node-hit' ? [`${event.node} ${event.source}`] : []));
const skipped = (run: RunRecord): string[] =>
  run.events.flatMap((event) => (event.type === 'node-skipped' ? [`${event.node}: ${event.because}`] : []));
const warnings = (run: RunRecord): string[] =>
  run.events.flatMap((event) => (event.type === 'node-warning' ? [event.text] : []));

/** Lets a test decide when a stage goes on. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    opened,
    open: () => {
      open();
    },
  };
}

describe('order', () => {
  it('runs each node after what it needs and hands artifacts on', async () => {
    const seen: string[] = [];
    const run = await rig.run({
      a: writing('a.txt', 'A'),
      b: {
        needs: ['a'],
        run: (context) => {
          const a = context.artifact<{ content: string }>('a');
          seen.push(a.value.content, fs.readFileSync(path.join(a.dir, 'a.txt'), 'utf8'));
        },
      },
    });
    expect(run).toMatchObject({ ok: true, ran: 2, hits: 0, started: ['a', 'b'] });
    expect(seen).toEqual(['A', 'A']);
  });

  it('runs independent nodes side by side, and no more than jobs', async () => {
    let running = 0;
    let most = 0;
    const both = gate();
    const stage: TestStage = {
      run: async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === 2) both.open();
        await both.opened;
        running -= 1;
      },
    };
    await rig.run({ a: stage, b: stage, c: stage, d: stage }, { jobs: 2 });
    expect(most).toBe(2);
  });

  it('says so when a stage reads what it does not need', async () => {
    const run = await rig.run({ a: {}, b: { run: (context) => context.artifact('a') } });
    expect(kinds(run)).toEqual(['usage']);
    expect(run.failures[0]?.failure.message).toContain('b reads the result of a');
  });
});

describe('failure', () => {
  it('skips what depends on it, and finishes what does not', async () => {
    const failed = gate();
    const run = await rig.run(
      {
        bad: { run: () => fail({ kind: 'network', message: 'no route' }) },
        after: { needs: ['bad'] },
        last: { needs: ['after'] },
        other: writing('o', 'o', {}),
        slow: { run: () => failed.opened },
        end: { needs: ['slow'] },
      },
      {
        emit: (event) => {
          if (event.type === 'node-failed') failed.open();
        },
      },
    );
    expect(run.ok).toBe(false);
    expect(run.failures.map(({ node }) => node)).toEqual(['bad']);
    expect(skipped(run)).toEqual(['after: bad failed', 'last: bad failed']);
    expect(run.started).toEqual(expect.arrayContaining(['other', 'slow', 'end']));
    expect(run.ran).toBe(3);
  });

  it('is not remembered: the next run tries again, and the rest is a hit', async () => {
    let works = false;
    const stages = {
      a: writing('a', 'a'),
      b: { needs: ['a'], run: () => (works ? 'ok' : fail({ kind: 'test', message: 'no', detail: '' })) },
    };
    await rig.run(stages);
    expect(rig.list('.pipeline/tmp')).toEqual([]);
    works = true;
    const run = await rig.run(stages);
    expect(run).toMatchObject({ ok: true, ran: 1, hits: 1, started: ['b'] });
  });

  it('that no stage expects is thrown, after the others have ended and the lock is free', async () => {
    let ended = false;
    const bug = rig.run({
      a: {
        run: (context) =>
          new Promise((resolve) => {
            context.signal.addEventListener('abort', () =>
              setTimeout(() => {
                resolve((ended = true));
              }, 20),
            );
          }),
      },
      b: { run: () => Promise.reject(new TypeError('a bug')) },
    });
    await expect(bug).rejects.toThrow('a bug');
    expect(ended).toBe(true);
    expect(rig.list('.pipeline/tmp')).toEqual([]);
    expect(rig.exists('.pipeline/run.lock')).toBe(false);
  });

  it('names a required tool that is missing before the stage starts', async () => {
    const tool = { name: 'cargo', probes: [], version: /x/, install: 'install rust', required: true, inKey: false };
    const run = await rig.run(
      { a: { tools: [tool] } },
      { findTool: (spec) => Promise.resolve({ spec, state: 'missing' }) },
    );
    expect(run.failures[0]?.failure).toMatchObject({
      kind: 'tool-missing',
      message: expect.stringContaining('cargo') as string,
    });
    expect(run.started).toEqual([]);
  });

  it('by silence has a kind of its own', async () => {
    const run = await rig.run({
      a: {
        silenceMs: 20,
        run: (context) =>
          new Promise((_, reject) => {
            context.signal.addEventListener('abort', () => {
              reject(new Error('x'));
            });
          }),
      },
    });
    expect(kinds(run)).toEqual(['timeout']);
  });

  it('does not come while it gets on', async () => {
    const run = await rig.run({
      a: {
        silenceMs: 500,
        run: async (context) => {
          for (let step = 0; step < 20; step += 1) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            context.progress(`step ${step}`);
          }
        },
      },
    });
    expect(kinds(run)).toEqual([]);
  });
});

describe('an unchanged second run', () => {
  it('runs nothing', async () => {
    rig.write('in.txt', 'input');
    const stages = { a: writing('a', 'a', { files: ['in.txt'] }), b: writing('b', 'b', { needs: ['a'] }) };
    await rig.run(stages);
    const run = await rig.run(stages);
    expect(run).toMatchObject({ ok: true, ran: 0, hits: 2, started: [] });
    expect(hits(run)).toEqual(['a unchanged', 'b unchanged']);
  });

  it.each<[string, (stage: TestStage) => TestStage]>([
    ['options', (stage) => ({ ...stage, options: { x: 2 } })],
    ['version', (stage) => ({ ...stage, version: 2 })],
    ['values', (stage) => ({ ...stage, inputs: { values: { v: 2 } } })],
    [
      'tool version',
      (stage) => ({
        ...stage,
        tools: [{ name: 't', probes: [], version: /x/, install: '', required: false, inKey: true }],
      }),
    ],
  ])('is not one after a change of %s', async (_, change) => {
    const stage = writing('a', 'a', { options: { x: 1 } });
    await rig.run({ a: stage });
    expect((await rig.run({ a: change(stage) })).ran).toBe(1);
    expect((await rig.run({ a: stage })).hits, 'the earlier result is still there').toBe(1);
  });

  it('is not one after a change of an input file, an allowed variable, the stage itself', async () => {
    const stages = { a: writing('a', 'a', { files: ['in.txt'], env: ['CC'] }) };
    rig.write('in.txt', '1');
    rig.write('code/a/run.ts', '1');
    expect((await rig.run(stages, { env: {} })).ran).toBe(1);
    expect((await rig.run(stages, { env: { OTHER: 'x' } })).ran).toBe(0);
    rig.write('in.txt', '2');
    const second = await rig.run(stages, { env: {} });
    expect(second.events.find((event) => event.type === 'node-started')).toMatchObject({
      because: ['file in.txt changed'],
    });
    expect((await rig.run(stages, { env: { CC: 'clang' } })).ran).toBe(1);
    rig.write('code/a/run.ts', '2');
    expect((await rig.run(stages, { env: {} })).ran).toBe(1);
  });

  it('runs what it is forced to', async () => {
    const stages = { a: writing('a', 'a'), b: writing('b', 'b', { needs: ['a'] }) };
    await rig.run(stages);
    expect((await rig.run(stages, { force: new Set(['a']) })).started).toEqual(['a']);
    expect((await rig.run(stages)).hits).toBe(2);
  });

  it('always runs a stage that cannot name its inputs, and says why', async () => {
    const stages = {
      a: writing('a', 'a', { inputs: { uncacheable: 'it asks a server' } }),
      b: writing('b', 'b', { needs: ['a'] }),
    };
    await rig.run(stages);
    const run = await rig.run(stages);
    expect(run.started).toEqual(['a']);
    expect(run.events.find((event) => event.type === 'node-started')).toMatchObject({
      key: undefined,
      because: ['it asks a server'],
    });
    expect(rig.list('.pipeline/out/a').filter((name) => !name.includes('/'))).toHaveLength(1);
  });
});

describe('cancellation', () => {
  it('ends what runs, starts nothing more, and leaves nothing half-made', async () => {
    const controller = new AbortController();
    const reason = new PipelineFailure({ kind: 'cancelled', message: 'Cancelled by SIGTERM', signal: 'SIGTERM' });
    const stages: Record<string, TestStage> = {
      a: {
        run: (context) => {
          fs.writeFileSync(path.join(context.outDir, 'half'), 'x');
          const ended = new Promise((resolve) => {
            context.signal.addEventListener('abort', resolve);
          });
          controller.abort(reason);
          return ended;
        },
      },
      b: { needs: ['a'] },
    };
    const run = await rig.run(stages, { signal: controller.signal });
    expect(run.failures[0]?.failure).toMatchObject({ kind: 'cancelled', signal: 'SIGTERM' });
    expect(skipped(run)).toEqual(['b: the run was cancelled']);
    expect(rig.list('.pipeline/out')).toEqual([]);
    expect(rig.list('.pipeline/tmp')).toEqual([]);
    expect(rig.exists('.pipeline/run.lock')).toBe(false);
    expect((await rig.run({ a: writing('f', 'f'), b: { needs: ['a'] } })).ok).toBe(true);
  });
});

describe('a full disk', () => {
  const enospc = (): NodeJS.ErrnoException =>
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

  it('in a stage is a failure of its kind that names a path', async () => {
    const run = await rig.run({ a: { run: () => Promise.reject(enospc()) } });
    expect(kinds(run)).toEqual(['disk']);
    expect(run.failures[0]?.failure.message).toContain(rig.stateDir);
    expect(rig.list('.pipeline/tmp')).toEqual([]);
  });

  it('while the result is put in place keeps earlier results and dist whole', async () => {
    const stage = (name: string): TestStage =>
      writing(name, name, { options: { name }, publish: [{ from: '*', to: 'dist' }] });
    await rig.run({ a: stage('one') });
    vi.spyOn(fs.promises, 'copyFile').mockRejectedValueOnce(enospc());
    const run = await rig.run({ a: stage('two') });
    expect(kinds(run)).toEqual(['disk']);
    expect(rig.list('dist')).toEqual(['one']);
    expect(rig.list('.pipeline/tmp')).toEqual([]);
    vi.restoreAllMocks();
    expect((await rig.run({ a: stage('one') })).hits).toBe(1);
    expect((await rig.run({ a: stage('two') })).ran).toBe(1);
    expect(rig.list('dist')).toEqual(['two']);
  });

  it('while the log is written ends the node', async () => {
    const original = fs.writeSync;
    vi.spyOn(fs, 'writeSync').mockImplementation((fd: number, data: string) => {
      if (data.includes('the last straw')) throw enospc();
      return original(fd, data);
    });
    const run = await rig.run({
      a: {
        run: (context) => {
          context.log('the last straw');
        },
      },
    });
    expect(kinds(run)).toEqual(['disk']);
  });

  it('of the cache is only a warning', async () => {
    const store: CacheStore = {
      lookup: () => Promise.resolve(undefined),
      put: () => Promise.reject(enospc()),
    };
    const run = await rig.run({ a: writing('a', 'a') }, { store });
    expect(run.ok).toBe(true);
    expect(warnings(run)[0]).toContain('Not stored in the cache');
  });
});

describe('two runs in one checkout', () => {
  it('take turns', async () => {
    const inside = gate();
    const go = gate();
    const first = rig.run({ a: { run: () => (inside.open(), go.opened) } });
    await inside.opened;
    const events: string[] = [];
    const second = rig.run(
      { a: { run: () => undefined } },
      {
        emit: (event) => {
          events.push(event.type);
          if (event.type === 'waiting-for-lock') {
            expect(event.holder).toContain(String(process.pid));
            go.open();
          }
        },
      },
    );
    expect((await first).ran).toBe(1);
    expect((await second).hits).toBe(1);
    expect(events[0]).toBe('waiting-for-lock');
  });

  it('or the second fails at once when told not to wait', async () => {
    const inside = gate();
    const go = gate();
    const first = rig.run({ a: { run: () => (inside.open(), go.opened) } });
    await inside.opened;
    expect(kinds(await rig.run({ a: {} }, { noWait: true }))).toEqual(['busy']);
    go.open();
    await first;
  });

  it.each([
    ['of a process that is gone', { pid: 2 ** 22 + 5, start: 'x' }],
    ['of an earlier process with the same number', { pid: process.pid, start: 'another boot/1' }],
  ])('never block on the lock %s', async (_, holder) => {
    const { hostname } = await import('node:os');
    rig.write('.pipeline/run.lock', JSON.stringify({ ...holder, host: hostname(), since: '', token: 't' }));
    rig.write('.pipeline/tmp/dead-run/half/file', 'x');
    expect((await rig.run({ a: {} }, { noWait: true })).ok).toBe(true);
    expect(rig.list('.pipeline/tmp')).toEqual([]);
  });
});

describe('what a run leaves', () => {
  it('keeps the three newest results of a node', async () => {
    for (const n of [1, 2, 3, 4, 5]) await rig.run({ a: writing('f', String(n), { options: { n } }) });
    expect(rig.list('.pipeline/out/a').filter((name) => !name.includes('/'))).toHaveLength(3);
    expect((await rig.run({ a: writing('f', '5', { options: { n: 5 } }) })).hits).toBe(1);
  });

  it('is a log per node and a journal of everything but output', async () => {
    await rig.run({
      a: {
        run: (context) => {
          context.log('hello');
        },
      },
    });
    const log = rig.list('.pipeline/logs').find((name) => name.endsWith('a.log')) ?? '';
    expect(rig.read(`.pipeline/logs/${log}`)).toContain('hello');
    const journal = rig.list('.pipeline/journal')[0] ?? '';
    const types = rig
      .read(`.pipeline/journal/${journal}`)
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(['run-started', 'node-started', 'node-finished', 'run-finished']);
  });

  it('a state is kept here, and never in the cache', async () => {
    const stages = { a: writing('venv/x', 'x', { output: 'state' }) };
    await rig.run(stages);
    expect((await rig.run(stages)).hits).toBe(1);
    expect(rig.exists('.pipeline/cache')).toBe(false);
    fs.rmSync(path.join(rig.stateDir, 'out'), { recursive: true });
    expect((await rig.run(stages)).ran).toBe(1);
  });

  it('serves a later run of a part of the plan', async () => {
    await rig.run({ a: writing('f', 'A') });
    const run = await rig.run({ b: { needs: ['a'], run: (context) => context.artifact('a').value } });
    expect(run.ok).toBe(true);
    expect(kinds(await rig.run({ c: { needs: ['never'] } }))).toEqual(['usage']);
  });
});
