// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LayeredStore } from '../../engine/cache/layered-store.js';
import { LocalStore } from '../../engine/cache/local-store.js';
import { remoteOptions, type Limits } from '../../engine/cache/remote-options.js';
import { RemoteStore } from '../../engine/cache/remote-store.js';
import type { Event } from '../../engine/events/event.js';
import { CacheServer, type Manner } from '../rigs/cache-server.js';
import { EngineRig, writing, type RunRecord } from '../rigs/engine-rig.js';
import { cacheContract } from './cache-contract.js';

/** The limits are short, so that a test sees a server given up that stands still. */
const LIMITS: Limits = { answerMs: 500, stallMs: 500, transferMs: 60_000, transferMsPerMiB: 1_000 };

function remoteStore(env: Readonly<Record<string, string>>, tempDir: string): RemoteStore {
  const options = remoteOptions(env, LIMITS);
  if (options === undefined) throw new Error('no shared cache is set');
  return new RemoteStore(options, tempDir);
}

cacheContract('remote store', async (dir) => {
  const server = new CacheServer();
  const url = await server.start();
  return {
    open: () => remoteStore({ PIPELINE_REMOTE_CACHE: url }, path.join(dir, 'tmp')),
    corrupt: (how) => {
      server.corrupt(how);
    },
    dispose: () => server.stop(),
  };
});

cacheContract('local store with a remote one behind it, seen from another machine', async (dir) => {
  const server = new CacheServer();
  const url = await server.start();
  let machines = 0;
  return {
    open: () => {
      machines += 1;
      const local = new LocalStore({ dir: path.join(dir, String(machines)) });
      const remote = remoteStore({ PIPELINE_REMOTE_CACHE: url }, local.tempDir);
      return new LayeredStore({ local, remote, name: url, warn: (text) => expect.fail(text) });
    },
    corrupt: (how) => {
      server.corrupt(how);
    },
    dispose: () => server.stop(),
  };
});

/** The warning for each manner of the server, when it is asked for a result that it has. */
const TROUBLES: readonly (readonly [Manner, RegExp])[] = [
  ['dead', /goes on without the shared cache .*UND_ERR_SOCKET|ECONNRESET/],
  ['silent', /no answer within 0\.5 s/],
  ['stands still', /nothing came for 0\.5 s/],
  ['half', /goes on without the shared cache .*/],
  ['short', /damaged; it is made again/],
  ['endless', /damaged; it is made again/],
  ['redirects', /302 Found: give the URL it redirects to/],
  ['refuses', /403 Forbidden: check PIPELINE_REMOTE_CACHE_TOKEN/],
  ['fails', /500 Internal Server Error/],
];

const SECRET = 'token-that-nobody-may-read';

describe('two checkouts with a shared cache', () => {
  let server: CacheServer;
  let url: string;
  const rigs: EngineRig[] = [];
  beforeEach(async () => {
    server = new CacheServer();
    url = await server.start();
  });
  afterEach(async () => {
    await server.stop();
    for (const rig of rigs.splice(0)) rig.remove();
  });

  const rig = (): EngineRig => {
    const made = new EngineRig();
    rigs.push(made);
    return made;
  };
  const stages = {
    a: writing('a.txt', 'of a '.repeat(2_000)),
    b: writing('b.txt', (context) => context.artifact<{ content: string }>('a').value.content, { needs: ['a'] }),
  };
  const env = (more: Readonly<Record<string, string>> = {}) => ({
    PATH: process.env['PATH'],
    PIPELINE_REMOTE_CACHE: url,
    ...more,
  });
  /** A run against the server with short limits. */
  const run = (where: EngineRig, more: Readonly<Record<string, string>> = {}): Promise<RunRecord> => {
    const events: Event[] = [];
    const local = new LocalStore({ dir: path.join(where.stateDir, 'cache') });
    const warn = (text: string): void => void events.push({ type: 'run-warning', time: 0, text });
    const remote = remoteStore({ PIPELINE_REMOTE_CACHE: url, ...more }, local.tempDir);
    const store = new LayeredStore({ local, remote, name: url, warn });
    return where.run(stages, { store }).then((record) => ({ ...record, events: [...record.events, ...events] }));
  };
  const hits = (record: RunRecord): string[] =>
    record.events.flatMap((event) => (event.type === 'node-hit' ? [`${event.node} ${event.source}`] : []));
  const warnings = (record: RunRecord): string[] =>
    record.events.flatMap((event) => ('text' in event && event.type !== 'node-progress' ? [event.text] : []));

  it('the second runs nothing, and has it on its own machine from then on', async () => {
    const first = await rig().run(stages, { env: env() });
    expect(first.started).toEqual(['a', 'b']);
    expect(server.named('ac/')).toHaveLength(2);
    const second = rig();
    expect(hits(await second.run(stages, { env: env() }))).toEqual(['a remote-cache', 'b remote-cache']);
    fs.rmSync(path.join(second.stateDir, 'out'), { recursive: true });
    await server.stop();
    const third = await second.run(stages, { env: env() });
    expect(hits(third)).toEqual(['a local-cache', 'b local-cache']);
    expect(warnings(third)).toEqual([]);
  });

  it('what is taken from there counts for the bound of the store here', async () => {
    await rig().run(stages, { env: env() });
    const local = new LocalStore({ dir: path.join(rig().root, 'store'), maxBytes: 1 });
    const remote = remoteStore({ PIPELINE_REMOTE_CACHE: url }, local.tempDir);
    const store = new LayeredStore({ local, remote, name: url, warn: (text) => expect.fail(text) });
    const record = await rig().run(stages, { store });
    expect(hits(record)).toEqual(['a remote-cache', 'b remote-cache']);
    for (const event of record.events)
      if (event.type === 'node-hit') expect(await local.lookup(event.key ?? ''), event.node).toBeUndefined();
  });

  it('a `state` neither goes there nor is looked for', async () => {
    await rig().run({ env: writing('e', 'e', { output: 'state' }) }, { env: env() });
    expect(server.requests).toEqual([]);
  });

  it('a read-only client takes and never gives', async () => {
    await rig().run(stages, { env: env({ PIPELINE_REMOTE_CACHE_READ_ONLY: '1' }) });
    expect(server.files.size).toBe(0);
    await rig().run(stages, { env: env() });
    server.corrupt('flip');
    const record = await rig().run(stages, { env: env({ PIPELINE_REMOTE_CACHE_READ_ONLY: 'true' }) });
    expect(record.ok).toBe(true);
    expect(server.requests.filter((request) => request.startsWith('DELETE'))).toEqual([]);
  });

  it.each(TROUBLES)('a server that is %s costs time, not the run', async (manner, said) => {
    await run(rig());
    server.manner = manner;
    const where = rig();
    const record = await run(where);
    expect(record.failures).toEqual([]);
    expect(record.started).toEqual(['a', 'b']);
    const [first = ''] = warnings(record);
    expect(first).toMatch(said);
    expect(warnings(record).filter((text) => text.includes('shared cache'))).toHaveLength(
      said.source.includes('damaged') ? 0 : 1,
    );
    expect(where.list('.pipeline/tmp')).toEqual([]);
    expect(where.list('.pipeline/cache/tmp')).toEqual([]);
  });

  it.each(['login page', 'mixed up'] as const)(
    'an answer that is no record of this key is a miss (%s)',
    async (manner) => {
      await run(rig());
      server.manner = manner;
      const record = await run(rig());
      expect(record.ok).toBe(true);
      expect(hits(record)).toEqual([]);
    },
  );

  it.each(['half once', 'fails once'] as const)('what passes is tried again (%s)', async (manner) => {
    await run(rig());
    server.manner = manner;
    const record = await run(rig());
    expect(hits(record)).toEqual(['a remote-cache', 'b remote-cache']);
    expect(warnings(record)).toEqual([]);
  });

  it('a damaged result is made again, and is whole for the next', async () => {
    await run(rig());
    server.corrupt('flip');
    expect((await run(rig())).started).toEqual(['a', 'b']);
    expect(hits(await run(rig()))).toEqual(['a remote-cache', 'b remote-cache']);
  });

  it('a damaged record is a miss', async () => {
    await run(rig());
    server.corrupt('truncate', 'ac/');
    expect((await run(rig())).started).toEqual(['a', 'b']);
  });

  it('one that may only be read is said once, and read on', async () => {
    server.manner = 'refuses to write';
    const record = await run(rig());
    expect(warnings(record)).toHaveLength(1);
    expect(warnings(record)[0]).toMatch(/puts nothing more into the shared cache .*403/);
  });

  it('one that takes no large file gets the small ones', async () => {
    server.manner = 'takes no large file';
    const big = writing('big', () =>
      Buffer.from(Array.from({ length: 9_000 }, (_, i) => (i * i) % 251)).toString('hex'),
    );
    const record = await rig().run({ big, small: writing('small', 's') }, { env: env() });
    expect(warnings(record)).toEqual([expect.stringMatching(/^Not stored in the cache: .*\(413\)$/)]);
    expect(server.named('ac/')).toHaveLength(1);
  });

  it('uploads few at a time, and no longer than the last call', async () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}`, writing(`f${i}`, `text ${i}`)]));
    await rig().run(many, { env: env(), jobs: 12 });
    expect(server.named('ac/')).toHaveLength(12);
    expect(server.mostUploads).toBeLessThanOrEqual(4);
    server.manner = 'silent';
    const local = new LocalStore({ dir: path.join(rig().root, 'store') });
    const options = remoteOptions(env());
    if (options === undefined) throw new Error('no shared cache is set');
    const said: string[] = [];
    const remote = new RemoteStore(options, local.tempDir);
    const warn = (text: string): void => void said.push(text);
    const store = new LayeredStore({ local, remote, name: url, warn, lastCallMs: 50 });
    const where = rig();
    where.write('files/x', 'x');
    const put = store.put('d'.repeat(64), where.root, ['files'], { node: 'n', digest: 'd' });
    store.lastCall();
    await put;
    expect(said).toEqual([expect.stringMatching(/puts nothing more .* 0\.05 s after the last stage/)]);
    expect(await local.lookup('d'.repeat(64))).toBeDefined();
  });

  it('sends its login, and no program or log sees it', async () => {
    const where = rig();
    const seen: string[] = [];
    const spy = {
      run: async (context: Parameters<NonNullable<(typeof stages)['a']['run']>>[0]) => {
        seen.push((await context.exec('env', [])).stdout, JSON.stringify(context.env));
        return null;
      },
    };
    server.manner = 'refuses';
    const login = { PIPELINE_REMOTE_CACHE_TOKEN: SECRET, PIPELINE_REMOTE_CACHE_HEADERS: 'X-Team: a\nX-Key: ' + SECRET };
    const record = await where.run({ spy }, { env: env(login) });
    expect(server.headers[0]).toMatchObject({ authorization: `Bearer ${SECRET}`, 'x-team': 'a', 'x-key': SECRET });
    expect(record.ok).toBe(true);
    expect(seen.join()).not.toContain(SECRET);
    expect(JSON.stringify(record.events)).not.toMatch(new RegExp(`${SECRET}|secret-of-the-server`));
    for (const file of where.list('.pipeline').filter((name) => fs.statSync(path.join(where.stateDir, name)).isFile()))
      expect(where.read(path.join('.pipeline', file)), file).not.toContain(SECRET);
  });
});
