// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { StageDefinition } from '../../engine/api.js';
import type { RawConfig, RawStage } from '../../engine/config/types.js';
import { resolveConfig } from '../../engine/config/resolve.js';
import { type Failure, PipelineFailure } from '../../engine/failure.js';
import { findCycle, stableOrder, withDownstream, withUpstream } from '../../engine/base/graph.js';
import { type Plan, type PlanRequest, makePlan, selectNodes, workOf } from '../../engine/plan/plan.js';

/** `uses` of these stages names the axes that they see: `device+flavour`. */
const load = (uses: string): Promise<StageDefinition> =>
  Promise.resolve({
    name: uses,
    title: uses,
    schema: '',
    axes: uses.split('+'),
    version: 1,
    output: 'tree',
    inputs: () => Promise.resolve({}),
    run: () => Promise.resolve(null),
  });

const STAGES: readonly RawStage[] = [
  { name: 'tools', uses: 'none' },
  { name: 'native', uses: 'device+flavour', needs: ['tools'] },
  { name: 'pack', uses: 'device', needs: ['native'] },
  { name: 'lint', uses: 'none', needs: ['tools'] },
  { name: 'report', uses: 'none', needs: ['pack', 'lint'] },
];

function config(stages: readonly RawStage[] = STAGES, extra: Partial<RawConfig> = {}) {
  const raw: RawConfig = {
    version: 1,
    project: { name: 'demo' },
    variants: { axes: { device: ['cpu', 'cuda'], flavour: ['release', 'asan'] } },
    stages,
    pipelines: {
      all: { stages: stages.map((stage) => stage.name) },
      release: { stages: ['pack'], variants: { flavour: ['release'] } },
    },
    ...extra,
  };
  return resolveConfig(raw, 'pipeline.yaml');
}

function planOf(from: ReturnType<typeof config>, request: Omit<PlanRequest, 'root'>, loader = load): Promise<Plan> {
  return makePlan(from, { root: '/checkout', ...request }, loader);
}

const ids = (plan: Plan): string[] => plan.nodes.map((node) => node.id);
const needs = (plan: Plan, id: string): readonly string[] => plan.nodes.find((node) => node.id === id)?.needs ?? [];

function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof PipelineFailure) return error.failure;
  }
  throw new Error('it did not fail');
}

describe('makePlan', () => {
  test('one node per variant that makes a difference, in the order of the file', async () => {
    const plan = await planOf(config(), { pipeline: 'all' });
    expect(ids(plan)).toEqual([
      'tools',
      'native[cpu-release]',
      'native[cpu-asan]',
      'native[cuda-release]',
      'native[cuda-asan]',
      'pack[cpu]',
      'pack[cuda]',
      'lint',
      'report',
    ]);
  });

  test('a node needs what agrees with its axes', async () => {
    const plan = await planOf(config(), { pipeline: 'all' });
    expect(needs(plan, 'native[cpu-asan]')).toEqual(['tools']);
    expect(needs(plan, 'pack[cuda]')).toEqual(['native[cuda-release]', 'native[cuda-asan]']);
    expect(needs(plan, 'report')).toEqual(['pack[cpu]', 'pack[cuda]', 'lint']);
  });

  test('an excluded combination is needed by nobody', async () => {
    const axes = { device: ['cpu', 'cuda'], flavour: ['release', 'asan'] };
    const variants = { axes, exclude: [{ device: 'cuda', flavour: 'asan' }] };
    const plan = await planOf(config(STAGES, { variants }), { pipeline: 'all' });
    expect(needs(plan, 'pack[cuda]')).toEqual(['native[cuda-release]']);
  });

  test('a pipeline includes what its stages need, and restricts variants', async () => {
    const plan = await planOf(config(), { pipeline: 'release' });
    expect(ids(plan)).toEqual(['tools', 'native[cpu-release]', 'native[cuda-release]', 'pack[cpu]', 'pack[cuda]']);
  });

  test('the first pipeline is the default', async () => {
    expect((await planOf(config(), {})).pipeline).toBe('all');
  });

  test('variants narrow', async () => {
    const plan = await planOf(config(), { pipeline: 'release', variants: ['cuda'] });
    expect(ids(plan)).toEqual(['tools', 'native[cuda-release]', 'pack[cuda]']);
  });

  test('a stage may stand before what it needs', async () => {
    const plan = await planOf(config([...STAGES].reverse()), { pipeline: 'all', variants: ['cpu-release'] });
    expect(ids(plan)).toEqual(['tools', 'lint', 'native[cpu-release]', 'pack[cpu]', 'report']);
  });

  test('an unknown pipeline', async () => {
    await expect(planOf(config(), { pipeline: 'relase' })).rejects.toMatchObject({
      failure: { kind: 'usage', help: "did you mean 'release'? pipelines: all, release" },
    });
  });
});

describe('points of a stage', async () => {
  /** `cell` runs at two points on cpu and one on cuda; `judge` shares one of its axes. */
  const points: Readonly<Record<string, StageDefinition['points']>> = {
    cell: ({ variant }) =>
      Promise.resolve([
        { size: 'small', shard: '1' },
        ...(variant.axes['device'] === 'cpu' ? [{ size: 'big', shard: '1' }] : []),
      ]),
    judge: () => Promise.resolve([{ size: 'big' }]),
  };
  const loadWith = async (uses: string): Promise<StageDefinition> => {
    const definition = await load(uses === 'cell' ? 'device' : uses);
    const own = points[uses];
    return own === undefined ? definition : { ...definition, points: own };
  };
  const stages: readonly RawStage[] = [
    { name: 'pack', uses: 'device' },
    { name: 'cell', uses: 'cell', needs: ['pack'], with: { level: 2 } },
    { name: 'judge', uses: 'judge', needs: ['cell'] },
    { name: 'report', uses: 'none', needs: ['cell'] },
  ];
  const plan = await planOf(config(stages), { pipeline: 'all' }, loadWith);
  const CELLS = ['cell[cpu-small-1]', 'cell[cpu-big-1]', 'cell[cuda-small-1]'];

  test('one node for each point of each variant, with its values among the axes', () => {
    expect(ids(plan)).toEqual(['pack[cpu]', 'pack[cuda]', ...CELLS, 'judge[big]', 'report']);
    expect(plan.nodes.find(({ id }) => id === 'cell[cpu-big-1]')?.variant).toEqual({
      id: 'cpu-big-1',
      axes: { device: 'cpu', size: 'big', shard: '1' },
    });
  });

  test('each needs what its variant needs, and is needed by who agrees with it', () => {
    expect(needs(plan, 'cell[cuda-small-1]')).toEqual(['pack[cuda]']);
    expect(needs(plan, 'report')).toEqual(CELLS);
    expect(needs(plan, 'judge[big]')).toEqual(['cell[cpu-big-1]']);
  });

  test('variants narrow, and a point is chosen by its id', async () => {
    const cuda = await planOf(config(stages), { pipeline: 'all', variants: ['cuda-release'] }, loadWith);
    expect(ids(cuda)).toEqual(['pack[cuda]', 'cell[cuda-small-1]', 'judge[big]', 'report']);
    expect(ids(selectNodes(plan, { only: ['cell[cpu-big-1]'] }).plan)).toEqual(['pack[cpu]', 'cell[cpu-big-1]']);
    expect([...selectNodes(plan, { only: ['cell'] }).targets]).toEqual(CELLS);
  });

  test('are listed from the checkout and the options', async () => {
    const asked: unknown[] = [];
    const listen = async (uses: string): Promise<StageDefinition> => ({
      ...(await loadWith(uses)),
      ...(uses === 'cell'
        ? {
            points: (context) => {
              asked.push(context);
              return Promise.resolve([{ shard: '1' }]);
            },
          }
        : {}),
    });
    await planOf(config(stages), { pipeline: 'all', variants: ['cpu-release'] }, listen);
    const cpu = { id: 'cpu', axes: { device: 'cpu' } };
    expect(asked).toMatchObject([{ root: '/checkout', options: { level: 2 }, variant: cpu, config: { project: {} } }]);
  });

  test('an axis of pipeline.yaml may not have the name of one of them', async () => {
    const variants = { axes: { device: ['cpu'], shard: ['1', '2'] } };
    await expect(planOf(config(stages, { variants }), { pipeline: 'all' }, loadWith)).rejects.toMatchObject({
      failure: { kind: 'usage', message: "the axis 'shard' of pipeline.yaml is one of the stage cell's own" },
    });
  });

  test('the same point twice is a bug of the stage', async () => {
    const twice = async (uses: string): Promise<StageDefinition> => ({
      ...(await loadWith(uses)),
      ...(uses === 'cell' ? { points: () => Promise.resolve([{ shard: '1' }, { shard: '1' }]) } : {}),
    });
    await expect(planOf(config(stages), { pipeline: 'all' }, twice)).rejects.toThrow("the point '1' twice");
  });
});

describe('selectNodes', async () => {
  const plan = await planOf(config(), { pipeline: 'all', variants: ['cpu-release'] });
  const pick = (request: Parameters<typeof selectNodes>[1]) => {
    const selection = selectNodes(plan, request);
    return { nodes: ids(selection.plan), targets: [...selection.targets] };
  };

  test('nothing asked for is everything', () => {
    expect(pick({}).targets).toEqual(ids(plan));
  });

  test('only: these, and what they need comes along', () => {
    expect(pick({ only: ['pack'] })).toEqual({
      nodes: ['tools', 'native[cpu-release]', 'pack[cpu]'],
      targets: ['pack[cpu]'],
    });
  });

  test('from: these and what comes after', () => {
    const { nodes, targets } = pick({ from: ['native[cpu-release]'] });
    expect(targets).toEqual(['native[cpu-release]', 'pack[cpu]', 'report']);
    expect(nodes).toEqual(ids(plan));
  });

  test('until: all but what comes after', () => {
    expect(pick({ until: ['native'] }).targets).toEqual(['tools', 'native[cpu-release]', 'lint']);
    expect(pick({ until: ['native', 'pack'] }).targets).toEqual(['tools', 'native[cpu-release]', 'pack[cpu]', 'lint']);
  });

  test('from and until narrow each other', () => {
    expect(pick({ from: ['native'], until: ['pack'] }).targets).toEqual(['native[cpu-release]', 'pack[cpu]']);
  });

  test('unknown names are answered with the nearest', () => {
    expect(failureOf(() => pick({ only: ['natve'] }))).toMatchObject({
      kind: 'usage',
      message: "there is no stage 'natve' in the pipeline 'all'",
      help: "did you mean 'native'? it has: tools, native, pack, lint, report",
    });
    expect(failureOf(() => pick({ from: ['pack[cpy]'] }))).toMatchObject({
      help: expect.stringContaining("did you mean 'pack[cpu]'?") as string,
    });
  });

  test('a selection that leaves nothing', () => {
    expect(failureOf(() => pick({ from: ['report'], until: ['tools'] })).message).toContain('nothing to do');
  });
});

describe('a work folder that stages share', () => {
  const sharing = async (uses: string): Promise<StageDefinition> => ({
    ...(await load(uses)),
    ...(uses === 'device' ? { work: 'tree' } : {}),
  });
  const stages = (needs: readonly string[]): readonly RawStage[] => [
    { name: 'library', uses: 'device', needs: [] },
    { name: 'tests', uses: 'device', needs },
  ];
  const planned = (needs: readonly string[]): Promise<Plan> =>
    planOf(config(stages(needs), { pipelines: { all: { stages: ['library', 'tests'] } } }), {}, sharing);

  test('is one for each variant', async () => {
    const { nodes } = await planned(['library']);
    expect(nodes.map(workOf)).toEqual(['tree[cpu]', 'tree[cuda]', 'tree[cpu]', 'tree[cuda]']);
  });

  test('is refused where two could be in it at once', async () => {
    await expect(planned([])).rejects.toThrow('work in one folder, and neither needs the other');
  });
});

describe('graph', () => {
  const graph = new Map([
    ['a', []],
    ['b', ['a']],
    ['c', ['b']],
    ['d', ['a']],
  ]);

  test('cycles are given as a way round', () => {
    expect(findCycle(graph)).toBeUndefined();
    const round = new Map([
      ['x', ['y']],
      ['y', ['z']],
      ['z', ['y']],
    ]);
    expect(findCycle(round)).toEqual(['y', 'z', 'y']);
    expect(findCycle(new Map([['x', ['x']]]))).toEqual(['x', 'x']);
  });

  test('up and down', () => {
    expect([...withUpstream(graph, ['c'])].sort()).toEqual(['a', 'b', 'c']);
    expect([...withDownstream(graph, ['b'])].sort()).toEqual(['b', 'c']);
  });

  test('the order of the graph holds where there is a choice', () => {
    expect(stableOrder(graph)).toEqual(['a', 'b', 'c', 'd']);
  });
});
