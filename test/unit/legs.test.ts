// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { StageDefinition } from '../../engine/api.js';
import type { LegGroup } from '../../engine/config/types.js';
import { PipelineFailure } from '../../engine/failure.js';
import { type Leg, makeLegs, planOfLeg } from '../../engine/legs/legs.js';
import type { Plan, PlanNode } from '../../engine/plan/plan.js';

const definition = (output: StageDefinition['output']): StageDefinition => ({
  name: 'demo',
  title: 'Demo',
  schema: '',
  axes: [],
  version: 1,
  output,
  inputs: () => Promise.resolve({}),
  run: () => Promise.resolve(null),
});

/** `stage[device-shard]`; a stage called `tools` or `env` is a state. */
function node(id: string, ...needs: string[]): PlanNode {
  const [, stage = '', variant = ''] = /^([^[]+)(?:\[(.*)\])?$/.exec(id) ?? [];
  const [device, shard] = variant.split('-');
  const axes = { ...(device ? { device } : {}), ...(shard === undefined ? {} : { shard }) };
  const output = ['tools', 'env'].includes(stage) ? 'state' : 'tree';
  return { id, stage, definition: definition(output), options: {}, variant: { id: variant, axes }, needs };
}

const PLAN: Plan = {
  pipeline: 'all',
  legGroups: [],
  nodes: [
    node('tools'),
    node('resolve', 'tools'),
    node('fetch', 'tools', 'resolve'),
    node('env', 'tools', 'resolve'),
    node('pack[cpu]', 'tools', 'fetch'),
    node('pack[gpu]', 'tools', 'fetch'),
    node('try[cpu-1]', 'env', 'pack[cpu]'),
    node('try[cpu-2]', 'env', 'pack[cpu]'),
    node('try[gpu-1]', 'env', 'pack[gpu]'),
    node('report', 'pack[cpu]', 'pack[gpu]', 'try[cpu-1]', 'try[cpu-2]', 'try[gpu-1]'),
  ],
};

const GROUPS: readonly LegGroup[] = [
  { name: 'sources', stages: ['fetch'] },
  { name: 'build', stages: ['pack'] },
  { name: 'test', stages: ['try'], by: ['device'] },
  { name: 'report', stages: ['report'] },
];

const of = (legs: readonly Leg[], id: string): Leg => legs.find((leg) => leg.id === id) ?? expect.fail(`no leg ${id}`);

function failureOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof PipelineFailure) return error.failure;
  }
  throw new Error('it did not fail');
}

describe('makeLegs', () => {
  const legs = makeLegs(PLAN, GROUPS);

  test('one leg for each value of the axes, in the order of the groups', () => {
    expect(legs.map(({ id }) => id)).toEqual(['sources', 'build@cpu', 'build@gpu', 'test@cpu', 'test@gpu', 'report']);
    expect(of(legs, 'test@cpu')).toMatchObject({ group: 'test', axes: { device: 'cpu' } });
  });

  test('what one leg makes is taken by the later ones; what works on one machine only is made on each', () => {
    expect(of(legs, 'sources')).toMatchObject({ needs: [], makes: ['resolve', 'fetch'], repeats: ['tools'] });
    expect(of(legs, 'build@gpu')).toMatchObject({
      needs: ['sources'],
      takes: [{ node: 'fetch', leg: 'sources' }],
      makes: ['pack[gpu]'],
      repeats: ['tools'],
    });
    expect(of(legs, 'test@cpu')).toMatchObject({
      needs: ['sources', 'build@cpu'],
      takes: [
        { node: 'resolve', leg: 'sources' },
        { node: 'pack[cpu]', leg: 'build@cpu' },
      ],
      makes: ['try[cpu-1]', 'try[cpu-2]'],
      repeats: ['tools', 'env'],
    });
    expect(of(legs, 'report').repeats).toEqual([]);
  });

  test('what several legs of the first group need is made by each of them', () => {
    const [cpu, gpu, , , report] = makeLegs(PLAN, GROUPS.slice(1));
    expect(cpu?.repeats).toEqual(['tools', 'resolve', 'fetch']);
    expect(gpu?.repeats).toEqual(['tools', 'resolve', 'fetch']);
    expect(report?.takes.map(({ node: taken }) => taken)).not.toContain('fetch');
  });

  test('every node is in the plan of a leg, and a leg finds all that its nodes need', () => {
    const seen = new Set<string>();
    for (const leg of legs) {
      const taken = new Set(leg.takes.map(({ node: id }) => id));
      const ids = new Set(planOfLeg(PLAN, leg).nodes.map(({ id }) => id));
      for (const { id, needs } of planOfLeg(PLAN, leg).nodes) {
        seen.add(id);
        if (!taken.has(id)) expect(needs.filter((need) => !ids.has(need))).toEqual([]);
      }
    }
    expect(seen.size).toBe(PLAN.nodes.length);
  });

  test('without groups the plan is one leg', () => {
    expect(makeLegs(PLAN, [])).toMatchObject([{ id: 'all', needs: [], takes: [] }]);
  });

  test('a group whose stages are not in the plan has no legs', () => {
    expect(makeLegs(PLAN, [...GROUPS, { name: 'publish', stages: ['upload'] }])).toHaveLength(6);
  });
});

describe('groups that do not fit', () => {
  test.each<[string, readonly LegGroup[], string, string]>([
    [
      'a leg before what it needs',
      [
        { name: 'test', stages: ['try'] },
        { name: 'build', stages: ['pack', 'report'] },
      ],
      'the leg test@cpu-1 needs pack[cpu], which build@cpu makes',
      'earlier group',
    ],
    [
      'one leg of a group needs another',
      [{ name: 'build', stages: ['pack', 'report', 'try'] }],
      'and that leg does not end before it',
      'earlier group',
    ],
    ['a stage that no leg runs', GROUPS.slice(0, 3), 'no leg of the pipeline all runs report', 'name the stage report'],
    [
      'an axis that the stages lack',
      [{ name: 'build', stages: ['pack'], by: ['devise'] }],
      "the legs 'build' have no axis 'devise'",
      "did you mean 'device'?",
    ],
  ])('%s', (_, groups, message, help) => {
    expect(failureOf(() => makeLegs(PLAN, groups))).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(message) as string,
      help: expect.stringContaining(help) as string,
    });
  });
});
