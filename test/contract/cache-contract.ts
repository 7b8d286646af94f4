// SPDX-License-Identifier: Apache-2.0
/** What every cache store must do. A store's own test file calls `cacheContract` with a way to make one. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CacheContentError, type CacheStore } from '../../engine/cache/store.js';

export interface StoreUnderTest {
  /** A new client of the same store, as a later run would make it. */
  open(): CacheStore;
  /** Damages what is stored, as a bad disk or a broken proxy would. */
  corrupt(how: 'flip' | 'truncate' | 'delete'): void;
  dispose(): Promise<void> | void;
}

const KEY = 'a'.repeat(64);
const META = { node: 'build', digest: 'd' };

export function cacheContract(name: string, make: (scratch: string) => Promise<StoreUnderTest> | StoreUnderTest): void {
  describe(`${name} as a cache store`, () => {
    let scratch: string;
    let store: StoreUnderTest;
    let source: string;

    beforeEach(async () => {
      scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'cache-contract-'));
      source = path.join(scratch, 'source');
      fillFolder(source);
      store = await make(path.join(scratch, 'store'));
    });
    afterEach(async () => {
      await store.dispose();
      fs.rmSync(scratch, { recursive: true, force: true });
    });

    const restore = async (key = KEY): Promise<string | undefined> => {
      const hit = await store.open().lookup(key);
      if (hit === undefined) return undefined;
      const into = fs.mkdtempSync(path.join(scratch, 'restored-'));
      await hit.restore(into);
      return into;
    };

    it('misses a key that was never put', async () => {
      expect(await store.open().lookup(KEY)).toBeUndefined();
      await store.open().put(KEY, source, ['files'], META);
      expect(await store.open().lookup('b'.repeat(64))).toBeUndefined();
    });

    it('gives back bytes, executable bits, links and empty folders', async () => {
      await store.open().put(KEY, source, ['files'], META);
      expect(snapshot(await restore())).toEqual(snapshot(source, ['files']));
      expect((await store.open().lookup(KEY))?.meta).toEqual(META);
    });

    it('stores only the names it is given', async () => {
      await store.open().put(KEY, source, ['files/empty', 'artifact.json'], META);
      const into = await restore();
      expect(fs.readdirSync(into ?? '').sort()).toEqual(['artifact.json', 'files']);
      expect(fs.readdirSync(path.join(into ?? '', 'files'))).toEqual(['empty']);
    });

    it('writes nothing before it is asked to restore', async () => {
      await store.open().put(KEY, source, ['files'], META);
      const into = path.join(scratch, 'into');
      fs.mkdirSync(into);
      await store.open().lookup(KEY);
      expect(fs.readdirSync(into)).toEqual([]);
    });

    it('takes a big file', async () => {
      const big = randomBytes(24 * 1024 * 1024);
      fs.writeFileSync(path.join(source, 'files', 'big.bin'), big);
      await store.open().put(KEY, source, ['files'], META);
      expect(fs.readFileSync(path.join((await restore()) ?? '', 'files', 'big.bin')).equals(big)).toBe(true);
    });

    it('takes thousands of files', async () => {
      for (let i = 0; i < 3_000; i += 1) fs.writeFileSync(path.join(source, 'files', `f${i}.txt`), `file ${i}`);
      await store.open().put(KEY, source, ['files'], META);
      expect(snapshot(await restore())).toEqual(snapshot(source, ['files']));
    });

    it('lets several put the same key at once', async () => {
      await Promise.all([1, 2, 3, 4].map(() => store.open().put(KEY, source, ['files'], META)));
      expect(snapshot(await restore())).toEqual(snapshot(source, ['files']));
    });

    it('holds the last of two puts of a key', async () => {
      await store.open().put(KEY, source, ['files'], META);
      fs.writeFileSync(path.join(source, 'files', 'plain.txt'), 'second');
      await store.open().put(KEY, source, ['files'], META);
      expect(fs.readFileSync(path.join((await restore()) ?? '', 'files', 'plain.txt'), 'utf8')).toBe('second');
    });

    it('keeps keys with the same content apart', async () => {
      const other = 'c'.repeat(64);
      await store.open().put(KEY, source, ['files'], META);
      await store.open().put(other, source, ['files'], { ...META, node: 'other' });
      expect((await store.open().lookup(other))?.meta.node).toBe('other');
      expect(snapshot(await restore(other))).toEqual(snapshot(await restore(KEY)));
    });

    it.each(['flip', 'truncate'] as const)(
      'refuses content after a %s, and is whole again after a new put',
      async (how) => {
        await store.open().put(KEY, source, ['files'], META);
        store.corrupt(how);
        await expect(restore()).rejects.toBeInstanceOf(CacheContentError);
        expect(await restore(), 'damaged content counts as missing').toBeUndefined();
        await store.open().put(KEY, source, ['files'], META);
        expect(snapshot(await restore())).toEqual(snapshot(source, ['files']));
      },
    );

    it('misses when the content was deleted', async () => {
      await store.open().put(KEY, source, ['files'], META);
      store.corrupt('delete');
      const hit = await restore().catch((error: unknown) => error);
      expect(hit === undefined || hit instanceof CacheContentError).toBe(true);
    });

    it('leaves no hit of a put that was aborted', async () => {
      const controller = new AbortController();
      controller.abort(new Error('stop'));
      await expect(store.open().put(KEY, source, ['files'], META, controller.signal)).rejects.toThrow('stop');
      expect(await store.open().lookup(KEY)).toBeUndefined();
    });

    it('leaves no hit of a put whose source vanished', async () => {
      await expect(store.open().put(KEY, path.join(scratch, 'nowhere'), ['files'], META)).rejects.toThrow();
      expect(await store.open().lookup(KEY)).toBeUndefined();
    });
  });
}

function fillFolder(folder: string): void {
  const files = path.join(folder, 'files');
  fs.mkdirSync(path.join(files, 'deep', 'er'), { recursive: true });
  fs.mkdirSync(path.join(files, 'empty'));
  fs.writeFileSync(path.join(folder, 'artifact.json'), '{}');
  fs.writeFileSync(path.join(files, 'plain.txt'), 'plain');
  fs.writeFileSync(path.join(files, 'nothing'), '');
  fs.writeFileSync(path.join(files, 'deep', 'er', 'with space-ü.txt'), 'deep');
  fs.writeFileSync(path.join(files, '@at'), 'starts with an at sign');
  fs.writeFileSync(path.join(files, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
  fs.writeFileSync(path.join(files, `${'long-'.repeat(30)}name`), 'a name that an old tar cannot hold');
  fs.symlinkSync('deep/er', path.join(files, 'link-to-folder'));
  fs.symlinkSync('../plain.txt', path.join(files, 'deep', 'link-up'));
  fs.symlinkSync('nowhere', path.join(files, 'dangling'));
  fs.linkSync(path.join(files, 'plain.txt'), path.join(files, 'second-name'));
}

/** Path → what is there, for comparing two folders. */
function snapshot(folder: string | undefined, names?: readonly string[]): Record<string, string> {
  if (folder === undefined) return {};
  const found: Record<string, string> = {};
  for (const name of fs.readdirSync(folder, { recursive: true }) as string[]) {
    if (names !== undefined && !names.some((wanted) => name === wanted || name.startsWith(`${wanted}/`))) continue;
    const file = path.join(folder, name);
    const stat = fs.lstatSync(file);
    if (stat.isDirectory()) found[name] = 'folder';
    else if (stat.isSymbolicLink()) found[name] = `link ${fs.readlinkSync(file)}`;
    else found[name] = `${(stat.mode & 0o111) !== 0 ? 'program' : 'file'} ${fs.readFileSync(file, 'base64')}`;
  }
  return found;
}
