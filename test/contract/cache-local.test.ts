// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalStore } from '../../engine/cache/local-store.js';
import { EngineRig } from '../rigs/engine-rig.js';
import { cacheContract } from './cache-contract.js';

function blobs(dir: string): string[] {
  const content = fs.readdirSync(dir).find((name) => name.startsWith('content-'));
  if (content === undefined) return [];
  const names = fs.readdirSync(path.join(dir, content), { recursive: true }) as string[];
  return names.map((name) => path.join(dir, content, name)).filter((file) => fs.statSync(file).isFile());
}

cacheContract('local store', (dir) => ({
  open: () => new LocalStore({ dir }),
  corrupt: (how) => {
    for (const blob of blobs(dir)) {
      if (how === 'delete') fs.rmSync(blob);
      else if (how === 'truncate') fs.truncateSync(blob, Math.floor(fs.statSync(blob).size / 2));
      else {
        const bytes = fs.readFileSync(blob);
        const middle = Math.floor(bytes.length / 2);
        bytes.writeUInt8(bytes.readUInt8(middle) ^ 0xff, middle);
        fs.writeFileSync(blob, bytes);
      }
    }
  },
  dispose: () => undefined,
}));

describe('the local store', () => {
  const rig = new EngineRig();
  const dir = path.join(rig.root, 'store');
  afterEach(() => {
    fs.rmSync(dir, { recursive: true, force: true });
  });

  it('stores equal folders as one blob, whatever their times', async () => {
    const store = new LocalStore({ dir });
    for (const name of ['a', 'b']) {
      rig.write(`${name}/files/x.txt`, 'same');
      fs.utimesSync(path.join(rig.root, name, 'files/x.txt'), new Date(name === 'a' ? 1e12 : 1.1e12), new Date());
      await store.put(name.repeat(64), path.join(rig.root, name), ['files'], { node: name, digest: '' });
    }
    expect(blobs(dir)).toHaveLength(1);
  });

  it('removes the least recently used results above its bound, and no others', async () => {
    const store = new LocalStore({ dir, maxBytes: 45_000 });
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      rig.write(`${name}/files/x.bin`, noise(20_000, index));
      await store.put(name.repeat(64), path.join(rig.root, name), ['files'], { node: name, digest: '' });
      for (const blob of blobs(dir)) {
        const time = new Date(Date.now() - 60_000 * (10 - index));
        if (fs.statSync(blob).mtimeMs > Date.now() - 60_000) fs.utimesSync(blob, time, time);
      }
    }
    const into = path.join(rig.root, 'into');
    fs.mkdirSync(into);
    await (await store.lookup('a'.repeat(64)))?.restore(into);
    await store.trim();
    expect(await store.lookup('b'.repeat(64))).toBeUndefined();
    expect(await store.lookup('a'.repeat(64)), 'it was used last').toBeDefined();
    expect(await store.lookup('c'.repeat(64))).toBeDefined();
    expect(blobs(dir)).toHaveLength(2);
  });

  it('removes what killed writers left, once it is old', async () => {
    const store = new LocalStore({ dir });
    rig.write('store/tmp/put-1-old.tgz', 'x');
    rig.write('store/tmp/put-1-new.tgz', 'x');
    const old = new Date(Date.now() - 7_200_000);
    fs.utimesSync(path.join(dir, 'tmp/put-1-old.tgz'), old, old);
    await store.trim();
    expect(fs.readdirSync(path.join(dir, 'tmp'))).toEqual(['put-1-new.tgz']);
  });
});

/** Text that does not compress, the same on every run. */
function noise(length: number, seed: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += String.fromCharCode(33 + (state % 90));
  }
  return text;
}
