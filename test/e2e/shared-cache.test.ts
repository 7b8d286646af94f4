// SPDX-License-Identifier: Apache-2.0
/** A shared cache on a server that others wrote, and two checkouts that have nothing but it in common. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { remoteOptions } from '../../engine/cache/remote-options.js';
import { RemoteStore } from '../../engine/cache/remote-store.js';
import { cacheContract } from '../contract/cache-contract.js';
import { makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';
import { DavServer, LOGIN } from '../rigs/dav-server.js';
import { freePort } from '../rigs/free-port.js';
import { ranIn, type PipelineResult } from '../rigs/pipeline-run.js';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'shared-cache-'));
const files = path.join(scratch, 'files');
let server: DavServer;
/** With the login in it. */
let url: string;
beforeAll(async () => {
  server = await DavServer.start('python3', scratch, await freePort());
  url = server.url.replace('://', `://${LOGIN.user}:${LOGIN.password}@`);
});
afterAll(async () => {
  server.stop();
  await removeCheckouts();
  fs.rmSync(scratch, { recursive: true, force: true });
});

/** Makes the server's folder empty, as it is before the first run. */
function empty(): void {
  for (const name of fs.readdirSync(files)) fs.rmSync(path.join(files, name), { recursive: true });
}

cacheContract('remote store on WsgiDAV', (dir) => {
  empty();
  return {
    open: () => {
      const options = remoteOptions({ PIPELINE_REMOTE_CACHE: url });
      if (options === undefined) throw new Error('no shared cache is set');
      return new RemoteStore(options, path.join(dir, 'tmp'));
    },
    corrupt: (how) => {
      for (const name of fs.readdirSync(path.join(files, 'cas'))) damage(path.join(files, 'cas', name), how);
    },
    dispose: empty,
  };
});

function damage(file: string, how: 'flip' | 'truncate' | 'delete'): void {
  const bytes = fs.readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  if (how === 'delete') fs.rmSync(file);
  else if (how === 'truncate') fs.truncateSync(file, middle);
  else {
    bytes.writeUInt8(bytes.readUInt8(middle) ^ 0xff, middle);
    fs.writeFileSync(file, bytes);
  }
}

/** Three stages of the room to copy, one after the other. */
async function smallCheckout(): Promise<Checkout> {
  const checkout = await makeCheckout({ seed: 'none' });
  const stages = ['one', 'two', 'three'].map(
    (name, index, all) =>
      `  - { name: ${name}, uses: _null, needs: [${all.slice(0, index).join(', ')}], with: { greeting: Hello ${name} } }`,
  );
  const pipelines = ['pipelines:', '  all: { title: All, stages: [three] }'];
  const config = checkout.read('pipeline.yaml').replace(/^stages:[^]*$/m, '');
  checkout.write('pipeline.yaml', `${config}stages:\n${[...stages, ...pipelines].join('\n')}\n`);
  return checkout;
}

const sources = (result: PipelineResult): string[] =>
  result.events.flatMap((event) => (event.type === 'node-hit' ? [`${event.node} ${event.source}`] : []));

test('what one checkout made, another takes from the shared cache', async () => {
  const env = { PIPELINE_REMOTE_CACHE: url };
  const [first, second, third] = [await smallCheckout(), await smallCheckout(), await smallCheckout()];
  const made = await first.run(['run', '--json'], { env });
  expect(made.code, made.output).toBe(0);
  expect(ranIn(made)).toEqual(['one', 'two', 'three']);
  expect(fs.readdirSync(path.join(files, 'ac'))).toHaveLength(3);

  const dry = await second.run(['run', '--dry-run'], { env });
  expect(dry.output).toMatch(/from cache +one .*from the shared cache/);
  const explained = await second.run(['explain', 'one', '--json'], { env });
  expect(JSON.parse(explained.stdout)).toMatchObject([{ id: 'one', state: 'cached', source: 'remote-cache' }]);

  const taken = await second.run(['run', '--json'], { env });
  expect(sources(taken)).toEqual(['one remote-cache', 'two remote-cache', 'three remote-cache']);
  const log = fs
    .readdirSync(second.path('.pipeline', 'journal'))
    .map((name) => second.read(`.pipeline/journal/${name}`));
  for (const text of [made.output, dry.output, taken.output, ...log]) expect(text).not.toContain(LOGIN.password);

  third.replace('pipeline.yaml', 'Hello two', 'Good morning');
  const mixed = await third.run(['run', '--plain'], { env });
  expect(mixed.output).toMatch(/ok +one +\(from the shared cache\)/);
  expect(mixed.output).toMatch(/start +two/);
});

test('without a login the run says so once and does everything itself', async () => {
  const checkout = await smallCheckout();
  const result = await checkout.run(['run', '--plain'], { env: { PIPELINE_REMOTE_CACHE: server.url } });
  expect(result.code, result.output).toBe(0);
  expect(result.output.match(/warning:/g)).toHaveLength(1);
  expect(result.output).toMatch(/goes on without the shared cache .*401 .*PIPELINE_REMOTE_CACHE_TOKEN/);
  expect(result.output).toContain('3 stages ran');
});

test('a URL that is none is refused before anything runs', async () => {
  const checkout = await smallCheckout();
  for (const [bad, said] of [
    ['cache.example.org', 'is not a URL of http or https'],
    ['ftp://cache.example.org/', 'is not a URL of http or https'],
    ['https://cache.example.org/?token=secret', 'has a query'],
  ] as const) {
    const result = await checkout.run(['run'], { env: { PIPELINE_REMOTE_CACHE: bad } });
    expect(result.code, result.output).toBe(2);
    expect(result.output).toContain(said);
    expect(result.output).not.toContain('secret');
  }
});
