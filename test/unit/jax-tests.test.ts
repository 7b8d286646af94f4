// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExecOptions, StageContext } from '../../engine/api.js';
import { PipelineFailure } from '../../engine/failure.js';
import { causeOf, groupByCause } from '../../stages/jax-tests/causes.js';
import { FileRun } from '../../stages/jax-tests/file-run.js';
import { CRASHED, parseRecord, TIMED_OUT, type TestEnd } from '../../stages/jax-tests/records.js';
import { renderMarkdown, renderText } from '../../stages/jax-tests/render.js';
import { makeReport, outcomesOf, type FilePair } from '../../stages/jax-tests/report.js';
import {
  requestOf,
  type JaxTestsOptions,
  type JaxTestsRequest,
  type TestFile,
} from '../../stages/jax-tests/request.js';
import { KeptResults } from '../../stages/lib/testing/kept-results.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';

const lines = (...events: readonly object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');

describe('what the recorder wrote', () => {
  test('ends of tests, with times and messages', () => {
    const { collected, ends, running, unreadable } = parseRecord(
      lines(
        { event: 'collected', tests: ['A::a', 'A::b', 'A::c'] },
        { event: 'started', test: 'A::a', time: 1 },
        { event: 'passed', test: 'A::a', seconds: 0.5 },
        { event: 'started', test: 'A::b', time: 2 },
        { event: 'skipped', test: 'A::b', seconds: 0, message: 'Skipped: no' },
        { event: 'started', test: 'A::c', time: 3 },
        { event: 'failed', test: 'A::c', seconds: 1, message: 'AssertionError: x' },
      ),
      120,
    );
    expect(collected).toEqual(['A::a', 'A::b', 'A::c']);
    expect(Object.fromEntries(ends)).toEqual({
      'A::a': { outcome: 'passed', seconds: 0.5 },
      'A::b': { outcome: 'skipped', seconds: 0, message: 'Skipped: no' },
      'A::c': { outcome: 'failed', seconds: 1, message: 'AssertionError: x' },
    });
    expect(running).toEqual([]);
    expect(unreadable).toBeUndefined();
  });

  test('a worker that ends is put down to the test it was in: by itself, or by its time limit', () => {
    const { ends } = parseRecord(
      lines(
        { event: 'started', test: 'A::crash', time: 10 },
        { event: 'crashed', test: 'A::crash', time: 11.5 },
        { event: 'started', test: 'A::hang', time: 20 },
        { event: 'crashed', test: 'A::hang', time: 140.2 },
      ),
      120,
    );
    expect(ends.get('A::crash')).toEqual({ outcome: 'failed', seconds: 1.5, message: CRASHED });
    expect(ends.get('A::hang')).toEqual({ outcome: 'failed', seconds: 120.2, message: TIMED_OUT });
  });

  test('a run that was ended: what ran is known, half a line is no harm', () => {
    const { running, ends } = parseRecord(
      `${lines({ event: 'started', test: 'A::slow', time: 1 })}{"event": "pass`,
      120,
    );
    expect(running).toEqual(['A::slow']);
    expect(ends.size).toBe(0);
  });

  test.each([
    ['unreadable', 'ModuleNotFoundError: absl'],
    ['gave up', '6 processes ended before a test'],
  ])('%s: why no test could be run', (event, message) => {
    expect(parseRecord(lines({ event, message }), 1).unreadable).toBe(message);
  });
});

describe('causes', () => {
  test.each([
    [
      'jax.errors.JaxRuntimeError: INVALID_ARGUMENT: op at "/a/b c/x.py":12:4 has f32[3,4]',
      'JaxRuntimeError: INVALID_ARGUMENT: op at',
    ],
    [
      'AssertionError:\nNot equal to tolerance rtol=1e-05, atol=0',
      'AssertionError: Not equal to tolerance rtol=N, atol=N',
    ],
    ['TypeError: shapes (2, 3) and (4,) of tensor<2x3xf32>', 'TypeError: shapes SHAPE and SHAPE of TENSOR'],
    ['ValueError: at loc("x.py":1:2) is 0x7fff12', 'ValueError: at LOC is N'],
    ['KeyError: /tmp/a/b_1/c.mlir:3:4: no float32 lowering for svd', 'KeyError: PATH: no float32 lowering for svd'],
    ['', 'no message'],
  ])('%j', (message, cause) => {
    expect(causeOf(message)).toContain(cause);
  });

  test('failures that differ by numbers alone are one group, the commonest comes first', () => {
    const failure = (test: string, message: string) => ({ file: 'a_test', test, message });
    expect(
      groupByCause([
        failure('X::one', 'Error: only once'),
        failure('X::two', 'Error: wrong by 3 in f32[2]'),
        { ...failure('X::three', 'Error: wrong by 4.5 in f32[7,8]'), file: 'b_test' },
      ]),
    ).toEqual([
      { cause: 'Error: wrong by N in ARRAY', count: 2, files: ['a_test', 'b_test'], example: 'a_test.py::X::two' },
      { cause: 'Error: only once', count: 1, files: ['a_test'], example: 'a_test.py::X::one' },
    ]);
  });
});

const end = (outcome: TestEnd['outcome'], message?: string): TestEnd => ({
  outcome,
  seconds: 1,
  ...(message === undefined ? {} : { message }),
});

const SUBJECT = {
  tests: '0.10.2',
  jax: '0.10.2',
  jaxlib: '0.10.2',
  python: '3.11.7',
  wheel: 'w.whl',
  sha256: 'a'.repeat(64),
  platform: 'iree_cpu',
  iree: '3.13',
  generatedCases: 3,
  select: null,
};

function pair(ours: Readonly<Record<string, TestEnd>>, more: Partial<FilePair> = {}): FilePair {
  const reference = {
    'T::good': end('passed'),
    'T::wrong': end('passed'),
    'T::skipped': end('passed'),
    'T::flaky': end('passed'),
    'T::cpu_only': end('passed'),
    'T::cpu_or_gpu': end('passed'),
    'T::fails_there_too': end('failed', 'x'),
  };
  return {
    file: 'toy_test',
    devices: 1,
    floor: 60,
    reference: { tests: reference, seconds: 2 },
    ours: { tests: ours, seconds: 3 },
    ...more,
  };
}

const OURS: Readonly<Record<string, TestEnd>> = {
  'T::good': end('passed'),
  'T::wrong': end('failed', 'AssertionError: 1 is not 2'),
  'T::skipped': end('skipped', 'Skipped: no donation'),
  'T::flaky': { ...end('passed'), flaky: true },
  'T::cpu_only': end('skipped', 'Skipped: Skipped unless running on devices with tags: cpu'),
  'T::cpu_or_gpu': end('skipped', 'Skipped: Test requires GPU or CPU.'),
  'T::fails_there_too': end('failed', 'x'),
};

describe('the report', () => {
  test('counts of what XLA:CPU passes; its schema allows it; it fits into 80 columns', async () => {
    const report = makeReport(SUBJECT, [pair(OURS)]);
    expect(report.totals).toEqual({ reference: 4, passed: 2, failed: 1, skipped: 1, flaky: 1, elsewhere: 2 });
    expect(report.files[0]).toMatchObject({ rate: 50, reached: false, onReference: { passed: 6, failed: 1 } });
    expect(report.causes.map(({ cause }) => cause)).toEqual(['AssertionError: N is not N']);
    expect(report.skips.map(({ example }) => example)).toEqual(['toy_test.py::T::skipped']);
    expect(await checkAgainst('jax-tests-report', report)).toEqual([]);
    const text = renderText(report, 'dist/report/jax-tests-cpu-release.md');
    expect(text).toContain('toy_test      2     4  50.00%   60% BELOW     1     1');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(renderMarkdown(report)).toContain('- `toy_test.py::T::wrong`');
  });

  test('a file on several devices is another one than on one, and says how many either platform had', async () => {
    const report = makeReport(SUBJECT, [pair(OURS), pair(OURS, { file: 'toy_test@8', devices: 8 })]);
    expect(report.files.map(({ file, devices }) => [file, devices])).toEqual([
      ['toy_test', 1],
      ['toy_test@8', 8],
    ]);
    expect(await checkAgainst('jax-tests-report', report)).toEqual([]);
    expect(report.causes).toMatchObject([{ files: ['toy_test', 'toy_test@8'], example: 'toy_test.py::T::wrong' }]);
    const page = renderMarkdown(report);
    expect(page).toContain('| toy_test@8 | 8 | 2 | 4 |');
    expect(page).toContain('- `toy_test.py@8::T::wrong`');
  });

  test('a test that is not even there has failed, and says why', () => {
    const gone = pair({}, { ours: { tests: {}, unreadable: 'ImportError: x', seconds: 1 } });
    const report = makeReport(SUBJECT, [gone]);
    expect(report.totals).toMatchObject({ reference: 6, passed: 0, failed: 6 });
    expect(report.causes).toMatchObject([{ cause: 'Missing: no test was run: ImportError: x', count: 6 }]);
    expect(outcomesOf(gone).failed).toHaveLength(6);
  });

  test('floors are judged for whole files only', () => {
    expect(makeReport({ ...SUBJECT, select: 'good' }, [pair(OURS)]).files[0]?.reached).toBeNull();
    expect(makeReport(SUBJECT, [pair(OURS, { floor: 50 })]).files[0]?.reached).toBe(true);
  });
});

describe('a run of a file', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'jax-run-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const silent = new PipelineFailure({ kind: 'timeout', message: 'pytest printed nothing for 10 min' });
  const started = (test: string) => ({ event: 'started', test, time: 1 });
  const passed = (test: string) => ({ event: 'passed', test, seconds: 1 });

  interface Pytest {
    readonly events: readonly object[];
    readonly error?: Error;
  }

  /** Runs a file whose pytests do as `pytests` say, one after another. Gives their limits and the tests they were asked for, too. */
  async function runFile(...pytests: readonly Pytest[]) {
    const limits: Pick<ExecOptions, 'timeoutMs' | 'silenceMs'>[] = [];
    const asked: unknown[] = [];
    const exec: StageContext['exec'] = (_, args, { timeoutMs, silenceMs } = {}) => {
      const { events, error } = pytests[limits.length] ?? { events: [] };
      limits.push({
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(silenceMs === undefined ? {} : { silenceMs }),
      });
      const only = args.indexOf('--record-only');
      asked.push(only < 0 ? 'all' : JSON.parse(readFileSync(args[only + 1] ?? '', 'utf8')));
      writeFileSync(args[args.indexOf('--record') + 1] ?? '', lines(...events));
      return error === undefined ? Promise.resolve({ exitCode: 0, stdout: '', stderr: '' }) : Promise.reject(error);
    };
    const context = {
      options: { testTimeoutSeconds: 120, silenceSeconds: 600, generatedCases: 3 },
      ...{ root: folder, tempDir: folder, workDir: folder, jobs: 2, signal: new AbortController().signal, exec },
    } as unknown as StageContext<JaxTestsOptions>;
    const request = { checkout: { folder } } as JaxTestsRequest;
    const file: TestFile = { name: 'a_test', devices: 1, path: join(folder, 'a_test.py'), floor: 0 };
    const result = await new FileRun(
      context,
      request,
      { platform: 'cpu', python: 'python' },
      file,
      () => undefined,
    ).run();
    return { ...result, limits, asked };
  }

  test('is ended by its silence, not by the clock; what is left is run by another pytest', async () => {
    const { tests, asked, limits } = await runFile(
      {
        events: [
          { event: 'collected', tests: ['T::a', 'T::b', 'T::c'] },
          ...[started('T::a'), passed('T::a'), started('T::b')],
        ],
        error: silent,
      },
      { events: [{ event: 'collected', tests: ['T::c'] }, started('T::c'), passed('T::c')] },
      { events: [] },
    );
    expect(Object.entries(tests).map(([name, { outcome }]) => [name, outcome])).toEqual([
      ['T::a', 'passed'],
      ['T::b', 'failed'],
      ['T::c', 'passed'],
    ]);
    expect(tests['T::b']?.message).toMatch(/^Time-out/);
    expect(asked).toEqual(['all', ['T::c'], ['T::b']]);
    expect(limits).toEqual(Array(3).fill({ silenceMs: 600_000 }));
  });

  test('that fell silent before it found a test is unreadable, not empty', async () => {
    expect((await runFile({ events: [], error: silent })).unreadable).toBe('pytest printed nothing for 10 min');
  });
});

describe('results of files', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'jax-results-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('are found again by all that they depend on, in whatever order it is named', async () => {
    const results = new KeptResults(folder);
    const result = { tests: { 'T::a': end('passed') }, seconds: 4 };
    await results.keep({ file: 'x', platform: 'cpu' }, result);
    expect(await results.find({ platform: 'cpu', file: 'x' })).toEqual(result);
    expect(await results.find({ platform: 'iree_cpu', file: 'x' })).toBeUndefined();
  });
});

describe('what is asked for', () => {
  let parent: string;
  beforeEach(() => (parent = mkdtempSync(join(tmpdir(), 'jax-checkout-'))));
  afterEach(() => {
    rmSync(parent, { recursive: true });
  });

  const options: JaxTestsOptions = {
    requirements: [],
    generatedCases: 3,
    testTimeoutSeconds: 120,
    silenceSeconds: 600,
    suites: [
      {
        tests: '0.10.2',
        python: '3.11',
        floors: { a_test: 97 },
        multiDevice: { devices: 8, floors: { a_test: 90 } },
      },
    ],
  };

  function checkout(name: string, version?: string): string {
    const folder = join(parent, name);
    mkdirSync(join(folder, 'tests'), { recursive: true });
    for (const file of ['a_test.py', 'b_test.py']) writeFileSync(join(folder, 'tests', file), '');
    if (version !== undefined) {
      mkdirSync(join(folder, 'jax'));
      writeFileSync(join(folder, 'jax', 'version.py'), `# x\n_version = "${version}"\n`);
    }
    return folder;
  }

  async function refusal(settings: Readonly<Record<string, string>>): Promise<string> {
    try {
      await requestOf({ settings, options });
    } catch (error) {
      if (error instanceof PipelineFailure && error.failure.kind === 'usage') return error.failure.message;
      throw error;
    }
    throw new Error('it was accepted');
  }

  test('the version of the checkout picks the suite', async () => {
    const folder = checkout('jax', '0.10.2');
    const { suite, files, fresh } = await requestOf({ settings: { 'jax-tests': folder }, options });
    expect(suite.python).toBe('3.11');
    const file = { name: 'a_test', path: join(folder, 'tests', 'a_test.py') };
    expect(files).toEqual([
      { ...file, devices: 1, floor: 97 },
      { ...file, devices: 8, floor: 90 },
    ]);
    expect(fresh).toBe(false);
  });

  test('files may be chosen; one that is in no suite has no floor', async () => {
    const settings = { 'jax-tests': checkout('jax-jax-v0.10.2'), 'jax-tests.files': 'b_test.py,a_test@8,a_test@4' };
    const { files } = await requestOf({ settings, options });
    expect(files.map(({ name, devices, floor }) => [name, devices, floor])).toEqual([
      ['b_test', 1, 0],
      ['a_test', 8, 90],
      ['a_test', 4, 0],
    ]);
  });

  test('what is wrong is said', async () => {
    expect(await refusal({})).toContain('not in this repository');
    expect(await refusal({ 'jax-tests': join(parent, 'none') })).toContain('is not a directory');
    mkdirSync(join(parent, 'empty'));
    expect(await refusal({ 'jax-tests': join(parent, 'empty') })).toContain('has no folder tests/');
    expect(await refusal({ 'jax-tests': checkout('nameless') })).toContain('does not tell its version');
    expect(await refusal({ 'jax-tests': checkout('other', '0.9.0') })).toContain('JAX 0.9.0, for which pipeline.yaml');
    const settings = { 'jax-tests': checkout('jax-0.10.2'), 'jax-tests.files': 'c_test' };
    expect(await refusal(settings)).toContain('there is no tests/c_test.py');
    for (const label of ['a_test@0', 'a_test@65']) {
      expect(await refusal({ ...settings, 'jax-tests.files': label })).toBe(
        `${label}: a file is run on 1 to 64 devices`,
      );
    }
  });
});
