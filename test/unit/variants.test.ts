// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { PipelineFailure } from '../../engine/failure.js';
import { expandVariants, filterVariants, project, selectVariants } from '../../engine/config/variants.js';

const AXES = { device: ['cpu', 'cuda'], flavour: ['release', 'asan'] };
const ids = (variants: readonly { readonly id: string }[]): string[] => variants.map((variant) => variant.id);

describe('expandVariants', () => {
  test('multiplies axes in the order in which they are written', () => {
    expect(ids(expandVariants({ axes: AXES }))).toEqual(['cpu-release', 'cpu-asan', 'cuda-release', 'cuda-asan']);
  });

  test('without axes there is one variant without a name', () => {
    expect(expandVariants(undefined)).toEqual([{ id: '', axes: {} }]);
  });

  test('leaves out what matches every value of an entry', () => {
    const exclude = [{ device: 'cuda', flavour: 'asan' }];
    expect(ids(expandVariants({ axes: AXES, exclude }))).toEqual(['cpu-release', 'cpu-asan', 'cuda-release']);
    expect(ids(expandVariants({ axes: AXES, exclude: [{ device: 'cuda' }] }))).toEqual(['cpu-release', 'cpu-asan']);
  });

  test('zipped axes advance together, and ids keep the order of the axes', () => {
    const axes = { device: ['cpu', 'cuda'], flavour: ['release', 'asan'], arch: ['x86', 'sm_90'] };
    const zip = [['arch', 'device']];
    expect(ids(expandVariants({ axes, zip }))).toEqual([
      'cpu-release-x86',
      'cpu-asan-x86',
      'cuda-release-sm_90',
      'cuda-asan-sm_90',
    ]);
  });
});

test('project keeps the named axes only', () => {
  const [variant = { id: '', axes: {} }] = expandVariants({ axes: AXES });
  expect(project(variant, ['flavour'])).toEqual({ id: 'release', axes: { flavour: 'release' } });
  expect(project(variant, [])).toEqual({ id: '', axes: {} });
  expect(project(variant, ['unheard-of'])).toEqual({ id: '', axes: {} });
});

test('an id leaves out what is implied', () => {
  const axes = { device: ['cpu', 'cuda'], arch: ['x86', 'arm'] };
  const all = expandVariants({ axes, implied: { arch: 'x86' } });
  expect(ids(all)).toEqual(['cpu', 'cpu-arm', 'cuda', 'cuda-arm']);
  expect(all[0]?.axes).toEqual({ device: 'cpu', arch: 'x86' });
});

test('filterVariants restricts only the axes that it names', () => {
  expect(ids(filterVariants(expandVariants({ axes: AXES }), { flavour: ['asan'] }))).toEqual(['cpu-asan', 'cuda-asan']);
});

describe('selectVariants', () => {
  const all = expandVariants({ axes: AXES });
  test.each([
    [[], ['cpu-release', 'cpu-asan', 'cuda-release', 'cuda-asan']],
    [['cuda-asan'], ['cuda-asan']],
    [['cpu'], ['cpu-release', 'cpu-asan']],
    [['flavour=asan'], ['cpu-asan', 'cuda-asan']],
    [['device=cpu', 'flavour=asan'], ['cpu-asan']],
    [
      ['device=cpu', 'device=cuda', 'release'],
      ['cpu-release', 'cuda-release'],
    ],
  ])('%j', (choices, expected) => {
    expect(ids(selectVariants(all, AXES, choices))).toEqual(expected);
  });

  test.each([
    [[], ['cpu-release']],
    [['asan'], ['cpu-asan']],
    [['device=cuda'], ['cuda-release']],
    [['cuda-asan'], ['cuda-asan']],
    [
      ['release', 'asan', 'cuda'],
      ['cuda-release', 'cuda-asan'],
    ],
  ])('where one variant is usual: %j', (choices, expected) => {
    const usual = { device: ['cpu'], flavour: ['release'] };
    expect(ids(selectVariants(all, AXES, choices, usual))).toEqual(expected);
  });

  test.each([
    ['cpu-relase', "did you mean 'cpu-release'?"],
    ['device=cqu', "did you mean 'device=cpu'?"],
    ['vulkan', 'there are: cpu-release'],
  ])('%s is refused', (choice, help) => {
    const select = () => selectVariants(all, AXES, [choice]);
    expect(select).toThrow(PipelineFailure);
    try {
      select();
    } catch (error) {
      expect((error as PipelineFailure).failure).toMatchObject({
        kind: 'usage',
        help: expect.stringContaining(help) as string,
      });
    }
  });

  test('choices that exclude each other', () => {
    expect(() => selectVariants(all, AXES, ['cpu-release', 'device=cuda'])).toThrow('no variant matches');
  });
});
