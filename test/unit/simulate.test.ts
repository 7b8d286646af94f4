// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../cli.js';
import type { Forecast, StageDefinition } from '../../engine/api.js';
import { makeLegs } from '../../engine/legs/legs.js';
import type { Plan, PlanNode } from '../../engine/plan/plan.js';
import { makespan, simulate } from '../../engine/estimate/simulate.js';
import { readTimings } from '../../engine/estimate/timings.js';
import { EngineRig, writing } from '../rigs/engine-rig.js';

const SECOND = 1000;

describe('list scheduling', () => {
  const task = (id: string, ms: number, needs: readonly string[] = []) => ({ id, ms, needs });

  it('takes as long as all work on one worker, and as the longest chain on enough', () => {
    const tasks = [task('a', 3), task('b', 2), task('c', 4, ['a']), task('d', 1, ['a', 'b'])];
    expect(makespan(tasks, 1)).toBe(10);
    expect(makespan(tasks, 2)).toBe(7);
    expect(makespan(tasks, 100)).toBe(7);
  });

  it("is within Graham's bound, and shows his anomaly: the order decides", () => {
    const independent = [task('a', 1), task('b', 1), task('c', 2)];
    expect(makespan(independent, 2)).toBe(3);
    expect(makespan([...independent].reverse(), 2)).toBe(2);
  });

  it('takes no time for nothing, and none for what takes none', () => {
    expect(makespan([], 4)).toBe(0);
    expect(makespan([task('a', 0), task('b', 0, ['a'])], 1)).toBe(0);
  });

  it('refuses tasks that need each other', () => {
    expect(() => makespan([task('a', 1, ['b']), task('b', 1, ['a'])], 1)).toThrow('circle');
  });
});

function node(stage: string, device: string, needs: readonly string[], output: 'tree' | 'state' = 'tree'): PlanNode {
  const id = device === '' ? stage : `${stage}[${device}]`;
  const definition = { name: stage, output } as StageDefinition;
  const variant = { id: device, axes: device === '' ? {} : { device } };
  return { id, stage, needs, definition, variant, options: {} };
}

const DEVICES = ['cpu', 'gpu', 'tpu', 'npu'];
const PLAN: Plan = {
  pipeline: 'p',
  legGroups: [],
  nodes: [
    node('tools', '', [], 'state'),
    ...DEVICES.map((device) => node('build', device, ['tools'])),
    ...DEVICES.map((device) => node('test', device, [`build[${device}]`])),
    node(
      'report',
      '',
      DEVICES.map((device) => `test[${device}]`),
    ),
  ],
};
const LEGS = makeLegs(
  PLAN,
  ['build', 'test', 'report'].map((name) => ({ name, stages: [name] })),
);
const TIMINGS = new Map(
  PLAN.nodes.map(({ id, stage }) => [id, { tools: 5, build: 60, test: 20, report: 1 }[stage] ?? 0]),
);
const inMs = new Map([...TIMINGS].map(([id, seconds]) => [id, seconds * SECOND]));
const OPTIONS = { timings: inMs, runners: [1, 2, 4, 64], startupMs: 10 * SECOND, jobs: 2 };

describe('a plan on several machines', () => {
  it('pays for the start of each leg, and makes in each what works on one machine only', () => {
    const { results, chain, workMs, atLeast } = simulate(PLAN, LEGS, OPTIONS);
    const build = 10 + 5 + 60;
    const [test, report] = [10 + 20, 10 + 1];
    const work = 4 * build + 4 * test + report;
    expect(workMs).toBe(work * SECOND);
    const times = Object.fromEntries(results.map(({ runners, ms }) => [runners, ms / SECOND]));
    expect(times).toEqual({
      1: work,
      2: 2 * build + 2 * test + report,
      4: build + test + report,
      64: build + test + report,
    });
    expect(chain).toEqual({ legs: ['build@cpu', 'test@cpu', 'report'], ms: (build + test + report) * SECOND });
    expect(results[0]?.busy).toBe(1);
    expect(results[3]?.busy).toBeCloseTo(work / (64 * (build + test + report)));
    expect(atLeast).toBe(false);
  });

  it('runs the nodes of one leg side by side, as one machine does', () => {
    const [all] = makeLegs(PLAN, []);
    const result = simulate(PLAN, all === undefined ? [] : [all], { ...OPTIONS, startupMs: 0, jobs: 4 });
    expect(result.workMs).toBe((5 + 60 + 20 + 1) * SECOND);
    expect(simulate(PLAN, all === undefined ? [] : [all], { ...OPTIONS, startupMs: 0, jobs: 1 }).workMs).toBe(
      (5 + 4 * 60 + 4 * 20 + 1) * SECOND,
    );
  });

  it('says what is unknown and gives lower bounds, unless told what to assume', () => {
    const timings = new Map([...inMs].filter(([id]) => id !== 'test[gpu]' && id !== 'report'));
    const result = simulate(PLAN, LEGS, { ...OPTIONS, timings });
    expect(result).toMatchObject({ atLeast: true, unknown: ['test[gpu]', 'report'] });
    expect(result.legs.find(({ id }) => id === 'test@gpu')).toMatchObject({ ms: 10 * SECOND, unknown: ['test[gpu]'] });
    const assumed = simulate(PLAN, LEGS, { ...OPTIONS, timings, assumedMs: 20 * SECOND });
    expect(assumed).toMatchObject({ atLeast: false, unknown: [] });
    expect(assumed.results[0]?.ms).toBe((4 * 75 + 4 * 30 + 30) * SECOND);
  });
});

describe('times of nodes', () => {
  let rig: EngineRig;
  beforeEach(() => (rig = new EngineRig()));
  afterEach(() => {
    rig.remove();
  });

  it('are those of real runs, of nodes that ran to their end', async () => {
    const pause = { run: () => new Promise((resolve) => setTimeout(resolve, 60)) };
    const fails = { run: () => Promise.reject(new Error('a bug')) };
    await rig.run({ slow: pause, quick: writing('q', 'q') }, { jobs: 3 });
    await rig.run({ quick: writing('q', 'q') });
    await rig.run({ fails }).catch(() => undefined);
    const { nodes, runs } = readTimings(rig.stateDir);
    expect([...nodes.keys()].sort()).toEqual(['quick', 'slow']);
    expect(nodes.get('slow')).toBeGreaterThanOrEqual(55);
    expect(runs).toMatchObject([{ jobs: 3 }]);
  });

  it('are the median of the five newest, whatever a killed run left', () => {
    for (const [index, durationMs] of [900_000, 50, 10, 40, 20, 30].entries()) {
      const lines = [
        { type: 'run-started', run: `r${index}`, time: index, jobs: 1, nodes: [], pipeline: 'p' },
        { type: 'node-finished', node: 'a', time: index, durationMs, key: 'k', published: [] },
      ].map((event) => JSON.stringify(event));
      rig.write(`.pipeline/journal/2026010${index}T000000Z-a.jsonl`, `${lines.join('\n')}\n{"type":"node-fin`);
    }
    expect(readTimings(rig.stateDir).nodes.get('a')).toBe(30);
    expect(readTimings(rig.stateDir).runs.map(({ run }) => run)).toEqual(['r5', 'r4', 'r3', 'r2', 'r1', 'r0']);
  });

  it('are none without a journal', () => {
    expect(readTimings(rig.stateDir)).toEqual({ nodes: new Map(), runs: [] });
  });
});

describe('pipeline simulate', () => {
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'simulate-'));
    const config = `version: 1
project: { name: demo, version: "1.0" }
stages:
  - { name: first, uses: _null }
  - { name: second, uses: _null, needs: [first] }
  - { name: tools, uses: setup-tools, with: { requirements: [cmake==4.4.4] } }
pipelines:
  all: { title: Everything, stages: [second], legs: [{ name: one, stages: [first] }, { name: two, stages: [second] }] }
  plain: { title: The same, stages: [second, tools] }
`;
    await writeFile(join(folder, 'pipeline.yaml'), config);
    const events = [
      { type: 'run-started', run: 'r', time: 0, jobs: 2, nodes: [], pipeline: 'all' },
      { type: 'node-finished', node: 'first', time: 1, durationMs: 90_000, key: 'k', published: [] },
    ];
    await mkdir(join(folder, '.pipeline', 'journal'), { recursive: true });
    const text = events.map((event) => JSON.stringify(event)).join('\n');
    await writeFile(join(folder, '.pipeline', 'journal', '20260101T000000Z-a.jsonl'), text);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const cli = async (...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
    const said = { out: '', err: '' };
    const code = await main(['simulate', ...argv], {
      cwd: folder,
      env: { NO_COLOR: '1' },
      stdout: { write: (text) => (said.out += text), columns: 80 },
      stderr: { write: (text) => (said.err += text) },
    });
    return { code, ...said };
  };

  it('prints a table within 80 columns', async () => {
    const { code, out } = await cli('all');
    expect(code).toBe(0);
    expect(out).toMatchSnapshot();
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('prints JSON', async () => {
    const { out } = await cli('all', '--json', '--runners', '1,3', '--startup', '5', '--assume', '10');
    expect(JSON.parse(out)).toEqual({
      pipeline: 'all',
      startupSeconds: 5,
      jobs: 2,
      assumedSeconds: 10,
      runs: ['r'],
      atLeast: false,
      unknown: [],
      results: [
        { runners: 1, seconds: 110, busy: 1 },
        { runners: 3, seconds: 110, busy: 0.333 },
      ],
      workSeconds: 110,
      chain: { legs: ['one', 'two'], seconds: 110 },
      legs: [
        { id: 'one', needs: [], seconds: 95, unknown: [] },
        { id: 'two', needs: ['one'], seconds: 15, unknown: [] },
      ],
    });
  });

  it('cuts a pipeline that has no legs by stages, and says so', async () => {
    const { out } = await cli('plain', '--assume', '1');
    expect(out).toContain('plain: 3 nodes in 3 legs');
    expect(out).toContain('has no `legs` in pipeline.yaml');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it.each([
    [['--runners', '1,x'], '--runners x is not a whole number'],
    [['--runners', '0'], '--runners 0 is not a whole number'],
    [['--startup', 'long'], '--startup long is not a number of seconds'],
    [['--assume', '-3'], '--assume -3 is not a number of seconds'],
  ])('refuses %j', async (flags, message) => {
    const { code, err } = await cli('all', ...flags);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('what a stage is told', () => {
  let rig: EngineRig;
  beforeEach(() => {
    rig = new EngineRig();
  });
  afterEach(() => {
    rig.remove();
  });

  it('is the time of all that comes before it, of this very run too', async () => {
    let told: Forecast | undefined;
    const { ok } = await rig.run({
      a: writing('a', 'a'),
      b: writing('b', 'b'),
      report: {
        needs: ['a', 'b'],
        run: (context) => {
          told = context.forecast();
        },
      },
      after: { needs: ['report'] },
    });
    expect(ok).toBe(true);
    expect(told).toMatchObject({ legs: 2, startupSeconds: 60, unknown: [] });
    expect(told?.results.map(({ runners, seconds }) => [runners, seconds])).toEqual([
      [1, 120],
      [4, 60],
      [16, 60],
      [64, 60],
    ]);
  });

  it('names what was found in the cache and never ran here', async () => {
    const a = writing('a', 'a');
    await rig.run({ a });
    rmSync(join(rig.stateDir, 'journal'), { recursive: true });
    let told: Forecast | undefined;
    await rig.run({ a, report: { needs: ['a'], run: (context) => void (told = context.forecast()) } });
    expect(told?.unknown).toEqual(['a']);
  });
});
