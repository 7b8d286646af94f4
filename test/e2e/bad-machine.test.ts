// SPDX-License-Identifier: Apache-2.0
/** Machines on which something is missing: the network, a program, room on the disk. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeCheckout,
  mayMount,
  pathWithout,
  removeCheckouts,
  sha256,
  type Checkout,
  type Snapshot,
} from '../rigs/checkout.js';
import { ranIn, type PipelineResult } from '../rigs/pipeline-run.js';

let checkout: Checkout;
let before: Snapshot;
beforeAll(async () => {
  checkout = await makeCheckout();
  before = checkout.snapshot();
});
afterAll(removeCheckouts);

/** Expects that the run ended with `code`, without a stack trace, and left dist, lock and results as they were. */
function expectRefused({ code, output }: PipelineResult, wanted: number, where = checkout, was = before): void {
  expect(code, output).toBe(wanted);
  expect(output).not.toMatch(/\n\s+at \S+ \(/);
  expect(output).not.toContain('bug of the pipeline');
  expect(where.snapshot()).toEqual(was);
  expect(where.leftovers()).toEqual([]);
}

async function expectNothingToDo(): Promise<void> {
  const result = await checkout.run(['run', 'release', '--json']);
  expectRefused(result, 0);
  expect(ranIn(result)).toEqual([]);
}

/** A port of this machine that nothing listens on: the system has given it out, and it was closed again. */
async function closedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

const TRY = /^ {2}try: check the connection, proxy and certificate settings/m;

describe('no network', () => {
  /** The environment in which every client is led to a closed port, has nothing in its cache, and gives up soon. */
  let offline: Record<string, string | undefined>;
  beforeAll(async () => {
    const closed = `http://127.0.0.1:${await closedPort()}`;
    const empty = (name: string): string => checkout.path('scratch', name);
    const proxies = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
    offline = {
      ...Object.fromEntries(proxies.map((name) => [name, closed])),
      CARGO_HTTP_PROXY: closed,
      NO_PROXY: undefined,
      no_proxy: undefined,
      PIP_INDEX_URL: `${closed}/simple`,
      PIP_FIND_LINKS: undefined,
      PIP_EXTRA_INDEX_URL: undefined,
      UV_DEFAULT_INDEX: `${closed}/simple`,
      UV_FIND_LINKS: undefined,
      PIP_CACHE_DIR: empty('pip'),
      UV_CACHE_DIR: empty('uv'),
      CARGO_HOME: empty('cargo'),
      // rustup keeps its programs elsewhere; only cargo's own folder is to be empty.
      RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? path.join(process.env['HOME'] ?? '', '.rustup'),
      PIP_RETRIES: '1',
      UV_HTTP_RETRIES: '0',
      CARGO_NET_RETRY: '0',
    };
  });

  test.each([
    ['setup-tools', 'pip'],
    ['fetch-sources', 'cargo'],
    ['setup-jax', 'uv'],
  ])('%s (%s): 7', async (stage) => {
    const result = await checkout.run(['run', '--force', '--only', stage, '--plain'], { env: offline });
    expectRefused(result, 7);
    expect(result.output).toMatch(new RegExp(`^error: ${stage}: could not fetch .*; nothing was changed$`, 'm'));
    expect(result.output).toMatch(TRY);
    expect(result.output).toMatch(/^ {2}log: \.pipeline\/logs\/\S+\.log$/m);
  });

  test('resolve --update (pip): 7', async () => {
    const result = await checkout.run(['resolve', '--update'], { env: offline });
    expectRefused(result, 7);
    expect(result.output).toMatch(/^error: could not fetch .*; nothing was changed$/m);
    expect(result.output).toMatch(TRY);
  });

  test('what is there already needs none', async () => {
    const result = await checkout.run(['run', 'release', '--plain'], { env: offline });
    expectRefused(result, 0);
    expect(result.output).toContain('Nothing to do');
  });

  test('with it, a run works', expectNothingToDo);
});

describe('a missing program', () => {
  test('no cargo: 8, with how to get it', async () => {
    const PATH = pathWithout(checkout.path('scratch', 'no-cargo'), /^cargo$/);
    const result = await checkout.run(['run', '--force', '--only', 'fetch-sources', '--plain'], { env: { PATH } });
    expectRefused(result, 8);
    expect(result.output).toMatch(/^error: fetch-sources: .*needs cargo >=1\.70 \(not found\)$/m);
    expect(result.output).toMatch(/^ {2}try: install Rust/m);
    const doctor = await checkout.run(['doctor'], { env: { PATH } });
    expect(doctor.code, doctor.output).toBe(8);
    expect(doctor.output).toMatch(/cargo.*not found/);
  });

  test('no Python: 8, with how to get it', async () => {
    const PATH = pathWithout(checkout.path('scratch', 'no-python'), /^python(3(\.\d+)?)?$/);
    const env = { PATH, PIPELINE_PYTHON: undefined, PIPELINE_PYTHONS: undefined };
    const result = await checkout.run(['run', 'release', '--plain'], { env });
    expectRefused(result, 8);
    expect(result.output).toMatch(/^error: setup-tools: .*python >=3\.11 \(not found\)$/m);
    expect(result.output).toMatch(/^ {2}try: install Python 3\.11 or newer/m);
    expect(result.output).toMatch(/^skipped +smoke-test\[cpu-release\]/m);
    const doctor = await checkout.run(['doctor'], { env });
    expect(doctor.code, doctor.output).toBe(8);
  });

  test('with both, a run works', expectNothingToDo);
});

/** A file system of its own that is really full. Where this user may mount none, these two tests are skipped. */
const mounts = mayMount();

describe('a full disk', () => {
  test.runIf(mounts)('below dist: 11, what was published before stays, no half file', async () => {
    checkout.delete('dist');
    checkout.mountSmall('dist', 64 * 1024);
    checkout.write('dist/mine.txt', 'mine');
    const result = await checkout.run(['run', 'release', '--plain']);
    expect(result.code, result.output).toBe(11);
    expect(result.output).toMatch(
      /error: smoke-test\[cpu-release\]: No space left on the disk while writing .*\/dist\//,
    );
    expect(result.output).toMatch(/^ {2}try: Free some space/m);
    expect(checkout.snapshot().dist['dist/mine.txt']).toBe(sha256('mine'));
    expect(checkout.files('dist').filter((file) => file.endsWith('.whl'))).toEqual([]);
    expect(checkout.leftovers()).toEqual([]);
    checkout.unmount('dist');
    const next = await checkout.run(['run', 'release', '--json']);
    expect(next.code, next.output).toBe(0);
    expect(ranIn(next)).toEqual([]);
    const published = Object.entries(before.dist).filter(([file]) => /\.whl$|\/smoke-|\/wheels\./.test(file));
    expect(checkout.snapshot().dist).toEqual(Object.fromEntries(published));
    before = checkout.snapshot();
  });

  test.runIf(mounts)('below .pipeline, while the tools are installed: 11', async () => {
    const small = await makeCheckout({ seed: 'none' });
    const was = small.snapshot();
    small.mountSmall('.pipeline', 48 * 1024 * 1024);
    const result = await small.run(['run', 'release', '--plain']);
    expectRefused(result, 11, small, was);
    expect(result.output).toMatch(/^error: setup-tools: /m);
    expect(result.output).toMatch(/disk/);
    expect(small.nodesWithResults()).toEqual([]);
    await small.remove();
  });

  test('simulated, a client that says so (a stand-in for cargo): 11', async () => {
    const bin = checkout.path('scratch', 'full', 'bin');
    fs.mkdirSync(bin, { recursive: true });
    const script = [
      '#!/bin/sh',
      'case "$1" in --version) echo "cargo 1.99.0"; exit 0;; esac',
      'echo "error: failed to unpack: No space left on device (os error 28)" >&2',
      'exit 101',
    ];
    fs.writeFileSync(path.join(bin, 'cargo'), `${script.join('\n')}\n`, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const result = await checkout.run(['run', '--force', '--only', 'fetch-sources', '--plain'], { env });
    expectRefused(result, 11);
    expect(result.output).toMatch(/^error: fetch-sources: .*disk/m);
    expect(result.output).toMatch(/^ {2}try: [Ff]ree some space/m);
  });

  test('with room again, a run works', expectNothingToDo);
});
