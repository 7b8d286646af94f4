// SPDX-License-Identifier: Apache-2.0
// What changes from one release line of IREE to the next: tests and times.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Artifact, StageContext } from '../../engine/api.js';
import type { TestOutcome } from '../../stages/artifacts.js';
import { comparePair } from '../../stages/compare-releases/compare.js';
import { pairsOfLines, type CompareReleasesOptions, type Line } from '../../stages/compare-releases/lines.js';
import { renderMarkdown, renderText } from '../../stages/compare-releases/render.js';
import type { ReleasesReport } from '../../stages/compare-releases/report.js';
import { ratioWord, readTimings, TIMINGS_FILE, type Timings } from '../../stages/compare-releases/timings.js';
import { sha256 } from '../../stages/lib/hash.js';
import { junitOutcomes } from '../../stages/lib/junit.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';

const line = (iree: string, library: string, outcomes: Readonly<Record<string, TestOutcome>>): Line => {
  return { variant: `cpu-iree${iree}`, iree, library, outcomes: new Map(Object.entries(outcomes)) };
};
const BEFORE = line('3.11', 'a'.repeat(64), {
  'f::good': 'passed',
  'f::broken': 'passed',
  'f::skipped now': 'passed',
  'f::gone': 'passed',
  'f::mended': 'failed',
  'f::bad': 'failed',
  'f::skipped': 'skipped',
});
const AFTER = line('3.13', 'b'.repeat(64), {
  'f::good': 'passed',
  'f::broken': 'failed',
  'f::skipped now': 'skipped',
  'f::mended': 'passed',
  'f::bad': 'failed',
  'f::skipped': 'skipped',
});
const timedLine = ({ variant, iree, library }: Line) => ({ variant, iree, library });
const TIMINGS: Timings = {
  before: timedLine(BEFORE),
  after: timedLine(AFTER),
  rows: [
    { what: 'matmul 64', unit: 'µs', before: 10, after: 5, ratio: 0.5 },
    { what: 'compile', unit: 'ms', before: 10, after: 12, ratio: 1.2 },
    { what: 'add', unit: 'µs', before: 10, after: 10.9, ratio: 1.09 },
  ],
};

describe('a pair of lines', () => {
  const pair = comparePair(BEFORE, AFTER, TIMINGS);

  test('broken is what passed and does not now, mended the other way about', () => {
    expect(pair.broken.map(({ test: name, after }) => [name, after])).toEqual([
      ['f::broken', 'failed'],
      ['f::gone', 'absent'],
      ['f::skipped now', 'skipped'],
    ]);
    expect(pair.mended).toEqual([{ test: 'f::mended', before: 'failed', after: 'passed' }]);
    expect(pair.failing).toEqual(['f::bad']);
    expect(pair.before).toEqual({ variant: 'cpu-iree3.11', iree: '3.11', passed: 4, failed: 2, skipped: 1 });
  });

  test('times count for the very libraries that were measured only', () => {
    expect(pair.timings).toHaveLength(3);
    expect(comparePair(BEFORE, { ...AFTER, library: 'c'.repeat(64) }, TIMINGS).timings).toBeNull();
    expect(comparePair(AFTER, BEFORE, TIMINGS).timings).toBeNull();
    expect(comparePair(BEFORE, AFTER, undefined).timings).toBeNull();
  });

  test.each([
    [1.11, 'slower'],
    [1.09, ''],
    [0.91, ''],
    [0.89, 'faster'],
  ])('a ratio of %d: %j', (ratio, word) => {
    expect(ratioWord({ ratio })).toBe(word);
  });

  test('the report is as its schema says, and fits a terminal', async () => {
    const report: ReleasesReport = { of: 'conformance', pairs: [pair] };
    expect(await checkAgainst('releases-report', report)).toEqual([]);
    const text = renderText(report);
    expect(text.split('\n').filter((row) => row.length > 80)).toEqual([]);
    for (const part of ['newly broken: 3', 'f::gone (passed → absent)', 'newly mended: 1', '0.50 × matmul 64'])
      expect(text).toContain(part);
    expect(text).not.toContain('× add');
    expect(renderMarkdown(report)).toContain('| compile | 10.0 ms | 12.0 ms | 1.20 | slower |');
    const unmeasured: ReleasesReport = { of: 'jax-tests', pairs: [{ ...pair, timings: null }] };
    expect(renderText(unmeasured)).toContain('not measured: npm run bench:releases');
    expect(await checkAgainst('releases-report', unmeasured)).toEqual([]);
  });
});

test('how tests of a JUnit report ended, by file and name', () => {
  const xml = `<testsuites><testsuite><testcase classname="test_a" name="x[1]"/>
    <testcase classname="test_a" name="y"><failure message="m"/></testcase>
    <testcase classname="test_b" name="y"><skipped/></testcase></testsuite></testsuites>`;
  expect([...junitOutcomes(xml)]).toEqual([
    ['test_a::x[1]', 'passed'],
    ['test_a::y', 'failed'],
    ['test_b::y', 'skipped'],
  ]);
});

describe('in a folder', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'compare-releases-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function artifact(stage: string, iree: string, device: string, file: string, text: string): Promise<Artifact> {
    const dir = path.join(root, stage, `${device}-${iree}`);
    await mkdir(dir, { recursive: true });
    await writeFile(path.join(dir, file), text);
    const value = stage === 'build-native' ? { library: file } : { outcomes: file };
    return { stage, variant: { id: `${device}-${iree}`, axes: { device, iree } }, value, dir, digest: '' };
  }

  async function contextOf(variants: readonly (readonly [iree: string, device: string])[]) {
    const artifacts: Artifact[] = [];
    for (const [iree, device] of variants) {
      artifacts.push(await artifact('build-native', iree, device, 'plugin.so', `library ${iree}`));
      const outcomes = JSON.stringify({ nn_test: { passed: [`T::${iree}`], failed: [], skipped: ['T::b'] } });
      artifacts.push(await artifact('jax-tests', iree, device, 'outcomes.json', outcomes));
    }
    return {
      options: { of: 'jax-tests' },
      artifacts: (stage: string) => artifacts.filter((one) => one.stage === stage),
    } as unknown as StageContext<CompareReleasesOptions>;
  }

  test('a line is compared with the one before it, by PEP 440, and with its own device', async () => {
    const lines = [
      ['3.13', 'cpu'],
      ['3.9', 'cpu'],
      ['3.13', 'cuda'],
      ['3.11', 'cpu'],
      ['3.11', 'cuda'],
    ] as const;
    const pairs = await pairsOfLines(await contextOf(lines));
    expect(pairs.map(([before, after]) => [before.variant, after.variant])).toEqual([
      ['cpu-3.9', 'cpu-3.11'],
      ['cpu-3.11', 'cpu-3.13'],
      ['cuda-3.11', 'cuda-3.13'],
    ]);
    const [before] = pairs[0] ?? [];
    expect(before?.library).toBe(sha256('library 3.9'));
    expect([...(before?.outcomes ?? [])]).toEqual([
      ['nn_test::T::3.9', 'passed'],
      ['nn_test::T::b', 'skipped'],
    ]);
  });

  test('one line alone is nothing to compare', async () => {
    const lines = [
      ['3.13', 'cpu'],
      ['3.11', 'cuda'],
    ] as const;
    await expect(contextOf(lines).then(pairsOfLines)).rejects.toMatchObject({ failure: { kind: 'usage' } });
  });

  test('times are read; none are none, and a damaged file is said to be that', async () => {
    expect(await readTimings(root)).toBeUndefined();
    const file = path.join(root, TIMINGS_FILE);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(TIMINGS));
    expect(await readTimings(root)).toEqual(TIMINGS);
    for (const text of ['{', JSON.stringify({ ...TIMINGS, rows: [{ what: 'x' }] })]) {
      await writeFile(file, text);
      await expect(readTimings(root)).rejects.toMatchObject({ failure: { kind: 'usage' } });
    }
  });
});
