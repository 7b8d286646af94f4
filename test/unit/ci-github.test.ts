// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ACTIONS } from '../../ci/github/actions.js';
import type { Workflow } from '../../ci/github/config.js';
import { matrixLines, requireTag } from '../../ci/github/matrix.js';
import { main } from '../../cli.js';
import type { PlanFile, PlanFileLeg } from '../../engine/legs/plan-file.js';
import { condition } from '../rigs/workflow/expression.js';
import { jobsFor, readWorkflow } from '../rigs/workflow/file.js';

// Whole commands, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const ROOT = path.join(import.meta.dirname, '../..');
const FILE = path.join(ROOT, '.github/workflows/wheels.yml');

const DEMO = `version: 1
project: { name: demo, version: "1.0" }
stages:
  - { name: first, uses: _null }
  - { name: second, uses: _null, needs: [first] }
pipelines:
  all:
    stages: [second]
    legs: [{ name: one, stages: [first] }, { name: two, stages: [second] }]
ci:
  github:
    demo: { title: Demo, pipeline: all, runner: ubuntu-24.04 }
`;

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ci-'));
  fs.writeFileSync(path.join(folder, 'pipeline.yaml'), DEMO);
});
afterEach(() => {
  fs.rmSync(folder, { recursive: true });
});

async function cli(
  argv: readonly string[],
  cwd = folder,
  env = {},
): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await main(argv, {
    cwd,
    env: { NO_COLOR: '1', ...env },
    stdout: { write: (text) => (out += text), columns: 120 },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

describe('generate', () => {
  test('the committed workflow is what pipeline.yaml says (if not: npx pipeline ci generate github)', async () => {
    const { code, out, err } = await cli(['ci', 'generate', 'github', '--check'], ROOT);
    expect(code, out + err).toBe(0);
  });

  test('writes, finds nothing to do, and reports drift with a diff', async () => {
    const file = path.join(folder, '.github/workflows/demo.yml');
    expect((await cli(['ci', 'generate', 'github', '--check'])).code).toBe(5);
    expect(fs.existsSync(file)).toBe(false);
    expect(await cli(['ci', 'generate', 'github'])).toMatchObject({
      code: 0,
      out: 'wrote .github/workflows/demo.yml\n',
    });
    expect(await cli(['ci', 'generate', 'github', '--check'])).toMatchObject({ code: 0 });

    fs.writeFileSync(
      file,
      fs.readFileSync(file, 'utf8').replace('persist-credentials: false', 'persist-credentials: true'),
    );
    const { code, out, err } = await cli(['ci', 'generate', 'github', '--check']);
    expect(code).toBe(5);
    expect(out).toContain('-          persist-credentials: true\n+          persist-credentials: false\n');
    expect(err).toContain('1 of the workflows in .github/workflows are not what pipeline.yaml says');
    expect(err).toContain('npx pipeline ci generate github');
  });

  test('a pipeline with other legs gives another workflow', async () => {
    await cli(['ci', 'generate', 'github']);
    fs.writeFileSync(path.join(folder, 'pipeline.yaml'), DEMO.replace('name: two', 'name: last'));
    const { code, out } = await cli(['ci', 'generate', 'github', '--check']);
    expect(code).toBe(5);
    expect(out).toContain('+  last:');
  });

  test.each([
    [['ci', 'genrate', 'github'], "there is no action 'genrate'", "did you mean 'generate'?"],
    [['ci', 'generate', 'gitlab'], "there is no CI service 'gitlab'", 'github'],
    [['ci', 'legs', 'github', 'dmo'], "there is no workflow 'dmo'", "did you mean 'demo'?"],
    [['ci', 'legs', 'github', 'demo'], 'there is no plan in', 'npx pipeline plan'],
  ])('%j ends with 2', async (argv, message, help) => {
    const { code, err } = await cli(argv);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).toContain(help);
  });

  test.each([
    ['pipeline: all', 'pipeline: al', "there is no pipeline 'al'"],
    ['runner: ubuntu-24.04', 'runner: a, dist: tow', "the pipeline all has no group of legs 'tow'"],
    ['ci:\n  github:\n    demo: { title: Demo, pipeline: all, runner: ubuntu-24.04 }\n', '', 'names no workflow'],
  ])('%s → %s is refused', async (from, to, message) => {
    fs.writeFileSync(path.join(folder, 'pipeline.yaml'), DEMO.replace(from, to));
    const { code, err } = await cli(['ci', 'generate', 'github']);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('the workflow', () => {
  const workflow = readWorkflow(FILE);
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  test('every action is pinned by a commit of which the version is said', () => {
    const text = fs.readFileSync(FILE, 'utf8');
    const uses = [...text.matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, line]) => line ?? '');
    expect(uses.length).toBeGreaterThan(10);
    expect(uses.filter((line) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    const used = new Set(uses.map((line) => line.split('@')[0]));
    expect(Object.keys(ACTIONS).filter((name) => !used.has(name))).toEqual([]);
  });

  test('a job may read the sources, and only the two that sign may do more: they run nothing of ours', () => {
    expect(workflow.permissions).toEqual({});
    const more = jobs.filter(([, { permissions }]) => JSON.stringify(permissions) !== '{"contents":"read"}');
    expect(more.map(([name, { permissions }]) => [name, permissions])).toEqual([
      ['provenance', { 'id-token': 'write', attestations: 'write' }],
      ['upload', { 'id-token': 'write' }],
    ]);
    expect(more.flatMap(([, job]) => job.steps.filter(({ run }) => run !== undefined))).toEqual([]);
  });

  test('a workflow that publishes nothing signs nothing', () => {
    const matrix = readWorkflow(path.join(ROOT, '.github/workflows/matrix.yml'));
    expect(Object.keys(matrix.jobs)).toEqual(['plan', 'sources', 'build', 'cells', 'report', 'check']);
    const permissions = Object.values(matrix.jobs).map((job) => job.permissions);
    expect([matrix.permissions, ...new Set(permissions.map((each) => JSON.stringify(each)))]).toEqual([
      {},
      '{"contents":"read"}',
    ]);
  });

  test('scripts hold no expressions: what comes from outside reaches them as variables', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  test('no credentials stay in a checkout', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.every((step) => step.with?.['persist-credentials'] === false)).toBe(true);
  });

  test('a plan first, then a job for each group of legs, each after those that it takes from', () => {
    expect(Object.keys(workflow.jobs).slice(0, 2)).toEqual(['checks', 'plan']);
    expect(jobsFor(workflow, ['report'])).toEqual(['plan', 'sources', 'build', 'test', 'report']);
    expect(workflow.jobs['build']?.needs).toEqual(['plan', 'sources']);
    expect(jobsFor(workflow, ['upload'])).toEqual(
      expect.arrayContaining(['checks', 'test', 'report', 'publish', 'provenance']),
    );
  });

  test.each([
    ['push', 'refs/tags/v0.1.0', true, true],
    ['push', 'refs/heads/main', true, false],
    ['pull_request', 'refs/pull/1/merge', false, false],
    ['workflow_dispatch', 'refs/heads/main', true, false],
    ['workflow_dispatch', 'refs/tags/v0.1.0', true, false],
  ])('%s of %s: signed %s, uploaded %s; what is uploaded is rehearsed always', (event, ref, signed, uploaded) => {
    const runs = (job: string): boolean => {
      const needs = { plan: { outputs: { publish: '[{}]' } } };
      return condition(workflow.jobs[job]?.if, { github: { event_name: event, ref }, needs }, { failed: false });
    };
    expect({ provenance: runs('provenance'), upload: runs('upload'), publish: runs('publish') }).toEqual({
      provenance: signed,
      upload: uploaded,
      publish: true,
    });
  });

  test('nothing that another run left is in what a tag publishes', () => {
    const caches = steps.filter(({ uses }) => uses?.startsWith('actions/cache/'));
    const contexts = { github: { ref: 'refs/tags/v1' }, matrix: { leg: '' }, steps: {} };
    expect(caches.length).toBeGreaterThan(0);
    expect(caches.filter((step) => condition(step.if, contexts, { failed: false }))).toEqual([]);
  });
});

describe('matrices', () => {
  const leg = (id: string, axes: PlanFileLeg['axes'], needs: readonly string[]): PlanFileLeg => ({
    ...{ id, group: id.split('@')[0] ?? '', axes, needs },
    ...{ takes: [], makes: [], repeats: [], command: [] },
  });
  const plan = {
    legs: [
      leg('build@cpu', { device: 'cpu' }, []),
      leg('test@cpu-arm', { device: 'cpu', arch: 'arm' }, ['build@cpu']),
      leg('publish@cpu', { device: 'cpu' }, ['build@cpu', 'test@cpu-arm']),
      leg('publish@gpu', { device: 'gpu' }, ['build@gpu']),
    ],
  } as unknown as PlanFile;
  const workflow: Workflow = {
    name: 'demo',
    pipeline: {
      ...{ name: 'all', title: '', stages: [], variants: {} },
      legs: ['build', 'test', 'publish', 'report'].map((name) => ({ name, stages: [] })),
    },
    config: {
      ...{ title: '', pipeline: 'all', branches: [], pythons: [], checks: [], minutes: 1, runner: 'plain' },
      runners: [
        { legs: 'build', where: { arch: 'arm' }, runner: 'never' },
        { legs: 'test', where: { arch: 'arm' }, runner: 'arm' },
      ],
      publish: { legs: 'publish', where: { device: 'cpu' }, environment: '', folder: '', rehearse: '' },
    },
  };

  test('one row for each leg: where it runs, and what it takes', () => {
    expect(matrixLines(plan, workflow)).toEqual([
      'build=[{"leg":"build@cpu","runner":"plain","takes":"@(plan)"}]',
      'test=[{"leg":"test@cpu-arm","runner":"arm","takes":"@(plan|build@cpu)"}]',
      'publish=[{"leg":"publish@cpu","runner":"plain","takes":"@(plan|build@cpu|test@cpu-arm)"}]',
      'report=[]',
    ]);
  });

  test('a tag is that of the version', () => {
    expect(() => {
      requireTag('refs/tags/v1.0', '1.0');
    }).not.toThrow();
    expect(() => {
      requireTag('refs/heads/v2.0', '1.0');
    }).not.toThrow();
    expect(() => {
      requireTag(undefined, '1.0');
    }).not.toThrow();
    expect(() => {
      requireTag('refs/tags/v1.1', '1.0');
    }).toThrow('the tag v1.1 is not that of version 1.0');
  });
});
