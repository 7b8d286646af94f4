// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { SmokeRun, WheelRow } from '../../stages/artifacts.js';
import { checkElf, checkHardening } from '../../stages/build-native/run.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';
import { checkPublishable } from '../../stages/publish-wheels/run.js';
import { renderMarkdown, renderText } from '../../stages/report-wheels/render.js';

const ROW: WheelRow = {
  variant: 'cpu-release',
  file: 'a-1-py3-none-manylinux_2_28_x86_64.whl',
  sha256: '0'.repeat(64),
  size: 830_453,
  library: {
    file: 'a.so',
    size: 1_978_720,
    exports: ['GetPjrtApi', 'IreePjrtServeCompiler', 'XLA_FFI_GetApi'],
    needed: ['libc.so.6'],
    glibc: '2.27',
    hardening: { relro: true, nx: true, stackProtector: true, fortify: true },
  },
  sbom: { file: 'sboms/a.cdx.json', components: 6 },
  runs: [{ python: '3.11.7', jaxlib: '0.10.2', passed: 30, failed: 0, skipped: 1 }],
};
const CROSS: WheelRow = {
  ...ROW,
  variant: 'cpu-release-aarch64',
  library: { ...ROW.library, hardening: { ...ROW.library.hardening, fortify: false } },
  runs: [],
};

test('what is not for others is not published', () => {
  const wheel = { name: 'a', platform: 'iree_cpu', file: ROW.file, sha256: ROW.sha256, size: 1, tag: 't' };
  const run = { wheel: ROW.file, jax: '0', compiler: '3', junit: '', json: '', ...ROW.runs[0] } as SmokeRun;
  expect(() => {
    checkPublishable({ ...wheel, version: '0.1.0' }, [run]);
  }).not.toThrow();
  for (const version of ['0.1.0+asan', '0.1.0+tracing'])
    expect(() => {
      checkPublishable({ ...wheel, version }, [run]);
    }).toThrow(`has the local label '${version.slice(6)}'`);
  expect(() => {
    checkPublishable({ ...wheel, version: '0.1.0' }, []);
  }).toThrow('never run');
});

test('the text says where a wheel was run, and which was not', () => {
  expect(renderText({ wheels: [ROW, CROSS] }).split('\n')).toEqual([
    'cpu-release          0.8 MB, glibc 2.27, RELRO, NX, canary, fortify',
    '                     Python 3.11.7, jaxlib 0.10.2: 30 passed, 1 skipped',
    'cpu-release-aarch64  0.8 MB, glibc 2.27, RELRO, NX, canary, no fortify',
    '                     built, not run',
    '',
  ]);
});

test('what a machine could not run is not called skipped', () => {
  const run = { ...ROW.runs[0], passed: 11, skipped: 33, notRun: 'no GPU' } as WheelRow['runs'][0];
  expect(renderText({ wheels: [{ ...ROW, runs: [run] }] })).toContain('11 passed, 33 not run');
});

test('the page has a row for each wheel, and the JSON fits its schema', async () => {
  const rows = renderMarkdown({ wheels: [ROW, CROSS] })
    .split('\n')
    .filter((line) => line.startsWith('| cpu-'));
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain('`GetPjrtApi`, `IreePjrtServeCompiler`, `XLA_FFI_GetApi`');
  expect(rows[1]).toContain('built, not run');
  expect(await checkAgainst('wheels-report', { wheels: [ROW, CROSS] })).toEqual([]);
  expect(await checkAgainst('wheels-report', { wheels: [{ ...ROW, sbom: undefined }] })).not.toEqual([]);
});

test('a library that lacks a protection, exports too much or needs a newer glibc is refused', () => {
  expect(() => {
    checkHardening(ROW.library, 'a.so');
    checkElf(ROW.library, 'a.so', 'manylinux_2_28_x86_64');
  }).not.toThrow();
  expect(() => {
    checkHardening(CROSS.library, 'a.so');
  }).toThrow('not protected');
  expect(() => {
    checkElf({ ...ROW.library, glibc: '2.29' }, 'a.so', 'manylinux_2_28_x86_64');
  }).toThrow('newer glibc');
  expect(() => {
    checkElf({ ...ROW.library, exports: ['main'] }, 'a.so', 'manylinux_2_28_x86_64');
  }).toThrow('symbols');
});
