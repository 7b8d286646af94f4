// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compare } from '@renovatebot/pep440';
import { describe, expect, test } from 'vitest';
import { PipelineFailure } from '../../engine/failure.js';
import { loadCompat, minorOf } from '../../stages/lib/compat/rows.js';
import { COMPAT_FILES } from '../../stages/lib/compat/files.js';
import { mergeRow } from '../../measuring/row.js';
import { newestRead } from '../../measuring/iree.js';
import { frameworkApi } from '../../measuring/jaxlib.js';
import { apiOf } from '../../stages/resolve-versions/headers.js';

const ROOT = path.join(import.meta.dirname, '../..');
const compat = await loadCompat(ROOT);
const text = (file: string): Promise<string> => readFile(path.join(ROOT, file), 'utf8');

describe('the files', () => {
  test('hold each version once, oldest first', () => {
    for (const rows of [compat.jaxlib, compat.iree]) {
      const versions = rows.map(({ version }) => version);
      expect(versions).toEqual([...new Set(versions)].sort(compare));
    }
  });

  test('a newer jaxlib never has an older API or StableHLO', () => {
    for (const [index, row] of compat.jaxlib.entries()) {
      const before = compat.jaxlib[index - 1];
      if (!before) continue;
      expect(minorOf(row.pjrtApi), row.version).toBeGreaterThanOrEqual(minorOf(before.pjrtApi));
      expect(compare(row.stablehlo, before.stablehlo), row.version).toBeGreaterThanOrEqual(0);
    }
  });

  test('runtime and compiler of a row are of one release', () => {
    for (const { version, compiler } of compat.iree) expect(compiler.version).toBe(version);
  });

  test('name no host', async () => {
    for (const file of Object.values(COMPAT_FILES))
      expect(await text(file)).not.toMatch(/https?:|www\.|\.(org|com|io)\b/);
  });

  test('a missing one is said by name', async () => {
    const error: unknown = await loadCompat('/nowhere').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PipelineFailure);
    expect((error as PipelineFailure).failure).toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^compat\/.*cannot be read/) as string,
    });
  });
});

describe('a measured row', () => {
  const FILE = `# a comment that stays
source:
  a: b
rows:
  - version: 0.9.0
    pjrtApi: '0.90'
    note: by hand
  # between
  - version: 0.10.2
    pjrtApi: '0.112'
`;

  test('goes between its neighbours by PEP 440', () => {
    const merged = mergeRow(FILE, { version: '0.9.0.1', pjrtApi: '0.90' });
    expect(merged.before).toBeUndefined();
    expect(merged.diff).toEqual(['+ 0.9.0.1 version: "0.9.0.1"', '+ 0.9.0.1 pjrtApi: "0.90"']);
    expect(merged.text.match(/version: \S+/g)).toEqual(['version: 0.9.0', 'version: 0.9.0.1', 'version: 0.10.2']);
    expect(merged.text).toContain('# a comment that stays');
  });

  test('replaces the one of its version and keeps the note', () => {
    const merged = mergeRow(FILE, { version: '0.9.0', pjrtApi: '0.91' });
    expect(merged.diff).toEqual(['~ 0.9.0 pjrtApi: "0.90" -> "0.91"']);
    expect(merged.text).toContain("pjrtApi: '0.91'\n    note: by hand");
  });

  test('that says the same changes no byte', () => {
    expect(mergeRow(FILE, { version: '0.10.2', pjrtApi: '0.112' })).toMatchObject({ diff: [], text: FILE });
  });
});

test('the API version is read from the framework’s own words', () => {
  const log =
    'I1 pjrt_api.cc:168] The PJRT plugin has PJRT API version 0.90. The framework PJRT API version is 0.112.\n';
  expect(frameworkApi(log)).toBe('0.112');
  expect(() => frameworkApi('nothing')).toThrow('does not say');
});

test('the API version of a header', () => {
  const header = '#define PJRT_API_MAJOR 0\n#define PJRT_API_MINOR 90\n';
  expect(apiOf(new Map([['include/xla/pjrt/c/pjrt_c_api.h', Buffer.from(header)]]))).toBe('0.90');
  expect(apiOf(new Map([['include/other.h', Buffer.from(header)]]))).toBeUndefined();
});

test('the newest StableHLO that is read is the one below the first refusal', () => {
  expect(newestRead({ current: '1.22.0' }, [])).toBe('1.22.0');
  expect(newestRead({ current: '1.22.0' }, [18, 14, 20])).toBe('1.13.0');
});
