// SPDX-License-Identifier: Apache-2.0
// The legs of a pipeline, each in a folder of its own: what one hands over the next one takes.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { main } from '../../cli.js';
import { ARTIFACT } from '../../engine/results/artifact-dir.js';
import { extractArchive, writeArchive } from '../../engine/cache/archive.js';
import type { HandOver } from '../../engine/legs/hand-over.js';
import { hashFile } from '../../engine/base/files.js';

// Whole commands, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const ROOT = path.join(import.meta.dirname, '../..');

const DEMO = `version: 1
project: { name: demo, version: "1.0" }
stages:
  - { name: first, uses: _null, with: { greeting: hi } }
  - { name: second, uses: _null, needs: [first] }
  - { name: third, uses: _null, needs: [first, second] }
  - { name: fourth, uses: _null, needs: [third] }
pipelines:
  all:
    stages: [fourth]
    legs:
      - { name: one, stages: [first] }
      - { name: two, stages: [second] }
      - { name: three, stages: [third] }
      - { name: four, stages: [fourth] }
`;

let root: string;
beforeEach(() => (root = fs.mkdtempSync(path.join(os.tmpdir(), 'legs-'))));
afterEach(() => {
  fs.rmSync(root, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function cli(cwd: string, ...argv: string[]): Promise<Ended> {
  let out = '';
  let err = '';
  const code = await main(argv, {
    cwd,
    env: { NO_COLOR: '1' },
    stdout: { write: (text) => (out += text), columns: 120 },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

/** One machine: a checkout that knows nothing of the others. */
class Machine {
  readonly folder: string;
  constructor(name: string, config = DEMO) {
    this.folder = path.join(root, name);
    fs.mkdirSync(path.join(this.folder, 'legs'), { recursive: true });
    fs.writeFileSync(path.join(this.folder, 'pipeline.yaml'), config);
  }

  cli(...argv: string[]): Promise<Ended> {
    return cli(this.folder, ...argv);
  }

  async plan(): Promise<string> {
    const { out } = await this.cli('plan', '--json');
    fs.writeFileSync(this.path('legs/plan.json'), out);
    return this.path('legs/plan.json');
  }

  path(file: string): string {
    return path.join(this.folder, file);
  }

  bring(from: Machine, name: string): void {
    fs.cpSync(from.path(`legs/${name}`), this.path(`legs/${name}`), { recursive: true });
  }

  manifest(leg: string): HandOver {
    return JSON.parse(fs.readFileSync(this.path(`legs/${leg}/leg.json`), 'utf8')) as HandOver;
  }
}

/** Three machines; the first two legs have run. */
async function upToThree(): Promise<{ one: Machine; two: Machine; three: Machine }> {
  const [one, two, three] = [new Machine('a'), new Machine('b'), new Machine('c')];
  await one.plan();
  two.bring(one, 'plan.json');
  three.bring(one, 'plan.json');
  expect((await one.cli('run-leg', 'one', '--plain')).code).toBe(0);
  two.bring(one, 'one');
  expect((await two.cli('run-leg', 'two', '--plain')).code).toBe(0);
  three.bring(one, 'one');
  three.bring(two, 'two');
  return { one, two, three };
}

test('legs on machines of their own give what a run on one gives', async () => {
  const { three } = await upToThree();
  const { code, out } = await three.cli('run-leg', 'three', '--json');
  expect(code).toBe(0);
  const events = out.split('\n').filter((line) => line.startsWith('{'));
  expect(events.filter((line) => line.includes('"handed-over"'))).toHaveLength(2);
  expect(events.filter((line) => line.includes('"node-started"'))).toHaveLength(1);

  const alone = new Machine('alone');
  expect((await alone.cli('run', '--plain')).code).toBe(0);
  const digest = (machine: Machine): string => {
    const [key = ''] = fs.readdirSync(machine.path('.pipeline/out/third'));
    const text = fs.readFileSync(machine.path(`.pipeline/out/third/${key}/${ARTIFACT}`), 'utf8');
    return (JSON.parse(text) as { digest: string }).digest;
  };
  expect(digest(three)).toBe(digest(alone));
});

test('a leg takes a result without what that was made of', async () => {
  const { three } = await upToThree();
  expect((await three.cli('run-leg', 'three', '--plain')).code).toBe(0);
  const four = new Machine('e');
  four.bring(three, 'plan.json');
  four.bring(three, 'three');
  const { code, out, err } = await four.cli('run-leg', 'four', '--plain');
  expect(code, out + err).toBe(0);
  expect(fs.readdirSync(four.path('.pipeline/out')).sort()).toEqual(['fourth', 'third']);
});

test.each(['', 'ci'])('plan --json is what its schema says (%s)', async (pipeline) => {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const schema = JSON.parse(fs.readFileSync(path.join(ROOT, 'schemas/plan.schema.json'), 'utf8')) as object;
  const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(schema);
  const machine = pipeline === '' ? new Machine('a') : undefined;
  const { out } =
    machine === undefined ? await cli(ROOT, 'plan', pipeline, '--json') : await machine.cli('plan', '--json');
  expect(validate(JSON.parse(out)), JSON.stringify(validate.errors)).toBe(true);
});

test('a leg that is run twice hands over the same bytes', async () => {
  const { two } = await upToThree();
  const before = two.manifest('two');
  fs.writeFileSync(two.path('legs/two/left-behind'), '');
  const { code, out } = await two.cli('run-leg', 'two', '--plain');
  expect(code).toBe(0);
  expect(out).not.toMatch(/done/);
  expect(two.manifest('two')).toEqual(before);
  expect(fs.readdirSync(two.path('legs/two')).sort()).toEqual(['leg.json', 'second.tgz']);
  expect(fs.readdirSync(two.path('legs')).sort()).toEqual(['one', 'plan.json', 'two']);
});

describe('refused', () => {
  test('a leg that is not in the plan', async () => {
    const { three } = await upToThree();
    const { code, err } = await three.cli('run-leg', 'thre');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("there is no leg 'thre'") as string });
    expect(err).toContain("did you mean 'three'?");
  });

  test('without a plan, or with something else in its place', async () => {
    const machine = new Machine('d');
    expect(await machine.cli('run-leg', 'one')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no plan in') as string,
    });
    fs.writeFileSync(machine.path('legs/plan.json'), '[]');
    expect(await machine.cli('run-leg', 'one')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not a plan') as string,
    });
  });

  test('the plan of another checkout: it says what differs', async () => {
    const { one } = await upToThree();
    const other = new Machine('d', DEMO.replace('greeting: hi', 'greeting: ho'));
    other.bring(one, 'plan.json');
    const { code, err } = await other.cli('run-leg', 'one');
    expect(code).toBe(2);
    expect(err).toContain('is the plan of another checkout: its first is another');
    const file = JSON.parse(fs.readFileSync(one.path('legs/plan.json'), 'utf8')) as object;
    fs.writeFileSync(one.path('legs/plan.json'), JSON.stringify({ ...file, commit: 'f'.repeat(40), digest: '' }));
    expect((await one.cli('run-leg', 'one')).err).toContain('it is of commit ffffffffffff');
  });

  test('a leg before the one that it takes from', async () => {
    const { three } = await upToThree();
    fs.rmSync(three.path('legs/two'), { recursive: true });
    const { code, err } = await three.cli('run-leg', 'three');
    expect(code).toBe(2);
    expect(err).toContain('the leg three takes results of two');
    expect(err).toContain('npx pipeline run-leg two');
    expect(fs.existsSync(three.path('legs/three'))).toBe(false);
  });

  test('results of another plan', async () => {
    const { three } = await upToThree();
    const file = three.path('legs/two/leg.json');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/"plan": "\w+"/, '"plan": "0"'));
    expect(await three.cli('run-leg', 'three')).toMatchObject({
      code: 2,
      err: expect.stringContaining('of another plan') as string,
    });
  });

  test.each<[string, (machine: Machine) => void | Promise<void>]>([
    [
      'a changed byte',
      (machine) => {
        flip(machine.path('legs/two/second.tgz'));
      },
    ],
    [
      'a file that is missing',
      (machine) => {
        fs.rmSync(machine.path('legs/two/second.tgz'));
      },
    ],
    [
      'a file that is cut off',
      (machine) => {
        fs.truncateSync(machine.path('legs/two/second.tgz'), 40);
      },
    ],
    [
      'a list that is damaged',
      (machine) => {
        fs.writeFileSync(machine.path('legs/two/leg.json'), '{');
      },
    ],
    [
      'a list without the result',
      (machine) => {
        rewrite(machine, 'two', { results: [] });
      },
    ],
    [
      'the archive of another result',
      async (machine) => {
        await exchange(machine);
      },
    ],
  ])('%s: exit code 6, nothing is run or handed over', async (_, harm) => {
    const { three } = await upToThree();
    await harm(three);
    const { code, out, err } = await three.cli('run-leg', 'three', '--plain');
    expect(code, out + err).toBe(6);
    expect(fs.existsSync(three.path('legs/three'))).toBe(false);
    expect(fs.existsSync(three.path('.pipeline/out/third'))).toBe(false);
  });

  test('a result that was made of another one than is handed over', async () => {
    const { one, three } = await upToThree();
    // The first leg runs again and, for a reason that no key shows, gives something else.
    await remake(one, 'one', 'first', 'another value');
    three.bring(one, 'one');
    const { code, out, err } = await three.cli('run-leg', 'three', '--plain');
    expect(code, out + err).toBe(6);
    expect(out + err).toContain('second (of two) was made of another result of first than one hands over');
  });
});

function flip(file: string): void {
  const bytes = fs.readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
  fs.writeFileSync(file, bytes);
}

function rewrite(machine: Machine, leg: string, changes: Partial<HandOver>): void {
  const file = machine.path(`legs/${leg}/leg.json`);
  fs.writeFileSync(file, JSON.stringify({ ...machine.manifest(leg), ...changes }));
}

/** Replaces the archive and its checksum: the record inside still names the other result. */
async function exchange(machine: Machine): Promise<void> {
  fs.copyFileSync(machine.path('legs/one/first.tgz'), machine.path('legs/two/second.tgz'));
  const sha256 = await hashFile(machine.path('legs/two/second.tgz'));
  rewrite(machine, 'two', { results: machine.manifest('two').results.map((result) => ({ ...result, sha256 })) });
}

async function remake(machine: Machine, leg: string, node: string, digest: string): Promise<void> {
  const archive = machine.path(`legs/${leg}/${node}.tgz`);
  const folder = machine.path('again');
  fs.mkdirSync(folder);
  await extractArchive(archive, folder);
  const record = JSON.parse(fs.readFileSync(path.join(folder, ARTIFACT), 'utf8')) as object;
  fs.writeFileSync(path.join(folder, ARTIFACT), JSON.stringify({ ...record, digest }));
  fs.rmSync(archive);
  await writeArchive(folder, [ARTIFACT, 'files'], archive);
  const sha256 = await hashFile(archive);
  rewrite(machine, leg, { results: machine.manifest(leg).results.map((result) => ({ ...result, sha256, digest })) });
}
