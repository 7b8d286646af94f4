// SPDX-License-Identifier: Apache-2.0
// What fetch-sources and its helpers decide without any connection.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as tar from 'tar';
import { afterAll, describe, expect, test } from 'vitest';
import type { InputContext, JsonObject } from '../../engine/api.js';
import { PipelineFailure } from '../../engine/failure.js';
import { duccLicense } from '../../stages/fetch-sources/components.js';
import { ireeOverride, type FetchOptions } from '../../stages/fetch-sources/inputs.js';
import { channelArgs, channelOf } from '../../stages/lib/channels.js';
import { clientFailure, familyOf } from '../../stages/lib/client-failure.js';
import { treeSha256 } from '../../stages/lib/hash.js';
import { copyIreeTree, ireeVersion } from '../../stages/lib/iree-tree.js';
import { needsProxy } from '../../stages/lib/range-reader.js';
import { ConnectionFault, withRetries } from '../../stages/lib/retry.js';
import { unpackSdist } from '../../stages/lib/sdist.js';
import { uvSettings } from '../../stages/lib/uv-settings.js';
import { statedLicense } from '../../stages/resolve-versions/source-parts.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fetch-unit-'));
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

function write(file: string, text = file): void {
  const full = path.join(folder, file);
  fs.mkdirSync(path.dirname(full), { recursive: true });
  fs.writeFileSync(full, text);
}

function input(
  options: FetchOptions,
  settings: Readonly<Record<string, string>> = {},
  channels: JsonObject = {},
  sources: JsonObject = {},
): InputContext<FetchOptions> {
  const never = (): never => {
    throw new Error('not asked for here');
  };
  return {
    root: '/project',
    options,
    variant: { id: '', axes: {} },
    config: { project: {}, sections: { channels, sources }, axes: {} },
    settings,
    env: {},
    glob: never,
    artifact: never,
    artifacts: never,
    forecast: never,
  };
}

describe('an override of IREE', () => {
  const REV = 'a'.repeat(40);

  test.each<[string, JsonObject, Record<string, string>, unknown]>([
    ['none', {}, {}, undefined],
    ['a path of pipeline.yaml', { iree: { path: '../iree' } }, {}, { kind: 'path', folder: '/iree' }],
    ['a path of the command line', {}, { 'sources.iree.path': '/x' }, { kind: 'path', folder: '/x' }],
    [
      'the command line wins as a whole',
      { iree: { git: 'https://host/iree', rev: REV } },
      { 'sources.iree.path': '/x' },
      { kind: 'path', folder: '/x' },
    ],
    [
      'git',
      {},
      { 'sources.iree.git': 'git@host:iree', 'sources.iree.rev': REV },
      { kind: 'git', url: 'git@host:iree', rev: REV },
    ],
    [
      'a relative repository',
      { iree: { git: './iree', rev: REV } },
      {},
      { kind: 'git', url: '/project/iree', rev: REV },
    ],
  ])('%s', (_, sources, settings, expected) => {
    expect(ireeOverride(input({}, settings, {}, sources))).toEqual(expected);
  });

  test.each([
    [{ 'sources.iree.git': 'x' }],
    [{ 'sources.iree.rev': REV }],
    [{ 'sources.iree.git': 'x', 'sources.iree.rev': 'main' }],
    [{ 'sources.iree.git': 'x', 'sources.iree.rev': REV, 'sources.iree.path': 'y' }],
  ])('half of one is refused: %j', (settings) => {
    expect(() => ireeOverride(input({}, settings))).toThrow('a path, or a git URL with a commit');
  });
});

describe('channels', () => {
  const CHANNELS = { nightly: [{ 'find-links': './wheels' }, { 'find-links': 'https://host/list.html' }], stable: [] };

  test('stable is there without being written', () => {
    expect(channelOf(input({}))).toEqual({ name: 'stable', findLinks: [], pre: false });
    expect(channelArgs(channelOf(input({})), 'pip')).toEqual([]);
  });

  test('the command line wins; folders are relative to pipeline.yaml; links bring pre-releases', () => {
    const channel = channelOf(input({ channel: 'stable' }, { channel: 'nightly' }, CHANNELS));
    const links = ['--find-links', '/project/wheels', '--find-links', 'https://host/list.html'];
    expect(channelArgs(channel, 'pip')).toEqual([...links, '--pre']);
    expect(channelArgs(channel, 'uv')).toEqual([...links, '--prerelease', 'allow']);
  });

  test('an unknown one names those that there are', () => {
    const error: unknown = (() => {
      try {
        return channelOf(input({ channel: 'nigthly' }, {}, CHANNELS));
      } catch (reason) {
        return reason;
      }
    })();
    expect((error as PipelineFailure).failure).toMatchObject({
      kind: 'usage',
      help: 'pipeline.yaml knows the channels: stable, nightly',
    });
  });
});

describe('what clients print', () => {
  // Each as the client printed it.
  test.each([
    [
      'pip',
      "WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by 'ProxyError('Cannot connect'",
      'network',
    ],
    ['uv', '  cause: dns error\n  cause: failed to lookup address information: Name or service not known', 'network'],
    ['uv through a proxy', '  cause: tunnel error: failed to create underlying connection', 'network'],
    ['cargo', 'warning: spurious network error (2 tries remaining): [7] Could not connect to server', 'network'],
    ['cargo without a name', "  [6] Couldn't resolve host name (Could not resolve host: index.example)", 'network'],
    ['git', "fatal: unable to access 'https://host/': Could not resolve host: host", 'network'],
    ['uv on a full disk', 'failed to write to file: No space left on device (os error 28)', 'disk'],
    [
      'pip on a full disk',
      'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device',
      'disk',
    ],
    ['cargo on a cut file', 'failed to verify the checksum of `eerie-sys v0.3.3`', 'integrity'],
    ['pip on another file', 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.', 'integrity'],
    ['a wrong version', 'ERROR: No matching distribution found for cmake==99', undefined],
  ])('%s', (_, output, family) => {
    expect(familyOf(output)).toBe(family);
  });

  test('a network failure names what was fetched and that nothing was changed', () => {
    const error = new PipelineFailure({ kind: 'command', message: 'x', command: 'uv', tail: ['error: dns error'] });
    expect(clientFailure(error, 'uv==0.13.8').failure).toMatchObject({
      kind: 'network',
      message: 'could not fetch uv==0.13.8; nothing was changed',
    });
  });

  test('other failures pass through', () => {
    const error = new PipelineFailure({
      kind: 'command',
      message: 'x',
      command: 'uv',
      tail: ['error: no such option'],
    });
    expect(clientFailure(error, 'uv')).toBe(error);
    const cancelled = new PipelineFailure({ kind: 'cancelled', message: 'x', signal: 'SIGINT' });
    expect(clientFailure(cancelled, 'uv')).toBe(cancelled);
  });
});

describe('pip’s settings for uv', () => {
  const LIST = [
    ":env:.cert='/ca.pem'",
    "global.index-url='https://mirror/simple'",
    "global.find-links='\\n/a\\n/b'",
    "global.timeout='10'",
    "install.timeout='20'",
    ":env:.disable-pip-version-check='1'",
  ].join('\n');

  test('are translated; the environment wins over install over global', () => {
    expect(uvSettings(LIST, {})).toEqual({
      SSL_CERT_FILE: '/ca.pem',
      UV_DEFAULT_INDEX: 'https://mirror/simple',
      UV_FIND_LINKS: '/a,/b',
      UV_HTTP_TIMEOUT: '20',
    });
  });

  test('give way to what is said to uv itself, by its old names too', () => {
    const said = { UV_INDEX_URL: 'https://own/simple', UV_FIND_LINKS: '/c', SSL_CERT_FILE: '/own.pem' };
    expect(uvSettings(LIST, said)).toEqual({ UV_HTTP_TIMEOUT: '20' });
  });
});

test.each([
  ['https://host/x', {}, false],
  ['https://host/x', { HTTPS_PROXY: 'http://proxy' }, true],
  ['https://a.host/x', { HTTPS_PROXY: 'http://proxy', NO_PROXY: 'other, .host' }, false],
  ['http://host/x', { https_proxy: 'http://proxy' }, false],
  ['http://host/x', { ALL_PROXY: 'http://proxy', no_proxy: '*' }, false],
])('%s with %j needs a proxy: %s', (url, env, expected) => {
  expect(needsProxy(url, env)).toBe(expected);
});

describe('retries', () => {
  const options = { signal: new AbortController().signal, log: () => undefined, delays: [1, 1] };

  test('follow faults of the network only', async () => {
    let tries = 0;
    const flaky = (): Promise<string> => {
      tries += 1;
      return tries < 3 ? Promise.reject(new ConnectionFault('cut')) : Promise.resolve('there');
    };
    expect(await withRetries('x', options, flaky)).toBe('there');
    expect(tries).toBe(3);
    await expect(withRetries('x', options, () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
  });

  test('end', async () => {
    let tries = 0;
    const broken = (): Promise<never> => {
      tries += 1;
      return Promise.reject(new ConnectionFault('cut'));
    };
    await expect(withRetries('x', options, broken)).rejects.toThrow('cut');
    expect(tries).toBe(3);
  });
});

describe('an IREE tree', () => {
  test('is copied as far as a runtime build reads it, and hashed by path and content', async () => {
    const kept = [
      'CMakeLists.txt',
      'LICENSE',
      'runtime/src/iree/base/api.h',
      'third_party/flatcc/src/x.c',
      'tools/x.cc',
    ];
    const dropped = [
      '.git/config',
      'runtime/src/iree/hal/drivers/vulkan/x.c',
      'runtime/src/iree/BUILD.bazel',
      'third_party/flatcc/test/x.c',
      'third_party/llvm-project/x.c',
      'docs/x.md',
    ];
    for (const file of [...kept, ...dropped]) write(`tree/${file}`);
    write('tree/runtime/version.json', '{"package-version": "3.11.0.dev"}');
    const [from, to] = [path.join(folder, 'tree'), path.join(folder, 'copy')];
    const files = await copyIreeTree(from, to);
    expect(files).toEqual([...kept, 'runtime/version.json'].sort());
    expect(await ireeVersion(to)).toBe('3.11.0');
    const before = await treeSha256(to);
    expect(await treeSha256(from, files)).toBe(before);
    write('copy/LICENSE', 'another');
    expect(await treeSha256(to)).not.toBe(before);
  });

  test('without a version file has no version', async () => {
    expect(await ireeVersion('/nowhere')).toBeUndefined();
  });
});

describe('a source distribution', () => {
  test('is unpacked into the folder that it holds', async () => {
    write('sdist/a-1.0/src/a.h', 'text');
    const archive = path.join(folder, 'a-1.0.tar.gz');
    await tar.create({ file: archive, gzip: true, cwd: path.join(folder, 'sdist') }, ['a-1.0']);
    const root = await unpackSdist({ archive, sha256: '' });
    expect(fs.readFileSync(path.join(root, 'src/a.h'), 'utf8')).toBe('text');
    fs.truncateSync(archive, fs.statSync(archive).size - 9);
    await expect(unpackSdist({ archive, sha256: '' })).rejects.toThrow('a-1.0.tar.gz cannot be unpacked');
  });

  test('that is none is named', async () => {
    write('b-1.0.tar.gz', '<html>');
    await expect(unpackSdist({ archive: path.join(folder, 'b-1.0.tar.gz'), sha256: '' })).rejects.toThrow(
      'b-1.0.tar.gz cannot be unpacked',
    );
  });
});

describe('the licence of DUCC', () => {
  const comments = [
    'Copyright (C) A B',
    'SPDX-License-Identifier: X OR Y',
    'All rights reserved.\n\nRedistribution and use in',
  ];
  const header = (texts: readonly string[]) =>
    `${texts.map((text) => `/* ${text} */\n`).join('\n')}#ifndef A_H\n/* of the code */\n`;

  test('is what its header begins with, without the other one that it offers', () => {
    const text = duccLicense(header([...comments, 'under the terms of the GNU General Public License']));
    expect(text).toBe('Copyright (C) A B\n\nAll rights reserved.\n\nRedistribution and use in\n');
  });

  test('must be there', () => {
    expect(() => duccLicense(header(comments.slice(0, 2)))).toThrow('states no BSD licence');
  });

  test.each([
    ['/* SPDX-License-Identifier: X OR Y */\n#ifndef A_H', 'X OR Y'],
    [' *  SPDX-License-Identifier: X OR Y\n *  more', 'X OR Y'],
    ['/* Copyright */', undefined],
  ])('is stated by %j', (text, license) => {
    expect(statedLicense(text)).toBe(license);
  });
});
