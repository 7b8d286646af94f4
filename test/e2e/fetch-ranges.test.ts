// SPDX-License-Identifier: Apache-2.0
// Members of a wheel by byte ranges, from servers that behave and misbehave; pip is real, the server is ours.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PipelineFailure } from '../../engine/failure.js';
import { sha256File } from '../../stages/lib/hash.js';
import { findDistribution, isDistribution, type Distribution, type PipClient } from '../../stages/lib/pip.js';
import { readWheelMembers, type Members, type WheelRead } from '../../stages/lib/wheel.js';
import { definition as nullStage } from '../../stages/_null/index.js';
import { StageRig } from '../rigs/stage-rig.js';
import { WheelServer, writeWheel, type Manner } from '../rigs/wheel-server.js';

const rig = new StageRig();
const wheels = rig.folder('wheels');
const server = new WheelServer(wheels);
const PYTHON = '3.11';
const HEADER = '#define PJRT_API_MINOR 90\n'.repeat(2000);
let pip: PipClient;
let distribution: Distribution;
let sha256: string;

beforeAll(async () => {
  const filler = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`data/${index}.bin`, randomBytes(65_536)]),
  );
  const file = await writeWheel(wheels, 'headers', '1.0', { 'include/a.h': HEADER, ...filler, 'include/b.h': 'b' });
  sha256 = await sha256File(file);
  const index = await server.start();
  const context = rig.context(nullStage, {
    env: { PIP_NO_INDEX: '1', PIP_RETRIES: '1', PIP_NO_CACHE_DIR: '1', PIP_FIND_LINKS: '' },
  });
  pip = {
    exec: (...command) => context.exec(...command),
    tempDir: context.tempDir,
    signal: context.signal,
    log: (line) => rig.lines.push(line),
    python: 'python3',
    channel: { name: 'test', findLinks: [index], pre: true },
  };
  const found = await findDistribution(pip, 'headers==1.0', PYTHON);
  if (!isDistribution(found)) throw new Error(`pip did not find the wheel: ${found.versions.join()}`);
  distribution = found;
});

afterAll(async () => {
  await server.stop();
  rig.remove();
});

beforeEach(() => {
  server.requests.length = 0;
  rig.lines.length = 0;
});

async function read(manner: Manner, more: Partial<WheelRead> = {}): Promise<Members> {
  server.manner = manner;
  const wanted = (member: string): boolean => member.startsWith('include/');
  return readWheelMembers(pip, { distribution, python: PYTHON, env: {}, wanted, sha256, delays: [5, 5, 5], ...more });
}

function expectHeaders(members: Members): void {
  expect([...members.keys()].sort()).toEqual(['include/a.h', 'include/b.h']);
  expect(Buffer.from(members.get('include/a.h') ?? []).toString()).toBe(HEADER);
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  return error instanceof PipelineFailure ? error.failure : error;
}

test('pip says where the wheel is, and its hash', () => {
  expect(distribution).toMatchObject({ version: '1.0', file: 'headers-1.0-py3-none-any.whl', sha256 });
});

describe('by ranges', () => {
  test('only pieces are transferred', async () => {
    expectHeaders(await read('ranges'));
    expect(server.requests).not.toContain('whole');
    expect(server.requests.length).toBeLessThan(6);
  });

  test('a connection that breaks is tried again', async () => {
    expectHeaders(await read('cut-twice'));
    expect(server.requests).not.toContain('whole');
    expect(rig.lines.filter((line) => line.includes('trying again'))).toHaveLength(2);
  });

  test('other bytes are an integrity failure that names the wheel', async () => {
    expect(await failureOf(read('corrupt'))).toMatchObject({ kind: 'integrity', file: 'headers-1.0-py3-none-any.whl' });
  });
});

describe('the whole wheel by pip', () => {
  test.each<[string, Manner, string]>([
    ['no ranges', 'whole', 'status 200'],
    ['a login', 'login', 'status 401'],
    ['ranges that always break', 'cut', 'fetching all of it'],
  ])('%s', async (_, manner, why) => {
    expectHeaders(await read(manner));
    expect(server.requests.at(-1)).toBe('whole');
    expect(rig.lines.join('\n')).toContain(why);
  });

  test('a proxy', async () => {
    expectHeaders(await read('ranges', { env: { http_proxy: 'http://127.0.0.1:9' } }));
    expect(server.requests).toEqual(['whole']);
  });

  test('a wheel in a folder', async () => {
    const url = `file://${path.join(wheels, distribution.file)}`;
    expectHeaders(await read('ranges', { distribution: { ...distribution, url } }));
  });

  test('another file than was locked', async () => {
    expect(await failureOf(read('whole', { sha256: 'f'.repeat(64) }))).toMatchObject({
      kind: 'integrity',
      wanted: 'f'.repeat(64),
      found: sha256,
    });
  });

  test('nothing comes through: a network failure in the end', async () => {
    expect(await failureOf(read('dead'))).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('nothing was changed') as string,
    });
  });
});
