// SPDX-License-Identifier: Apache-2.0
// The command `bench`, and how bench:compile finds the time in a profile.
import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('phases and passes are told apart in a profile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'profile-'));
  await mkdir(join(folder, 'deep'));
  const span = (name: string, ts: number, dur: number, tid = 1): object => ({ ph: 'X', pid: 1, tid, name, ts, dur });
  const traceEvents = [
    span('Compile jit_f', 0, 10_000),
    ...[
      span('rewrite', 0, 2000),
      span('ClampGathers', 500, 1000),
      span('compile', 1999.995, 7000),
      span('CacheMiss', 9500, 1),
    ],
    ...[span('hal', 4000, 3000), span('flow', 2000, 1500), span('FillParts', 3500, 500), span('SplitSums', 4100, 100)],
    span('elsewhere', 100, 200, 2),
  ];
  await writeFile(join(folder, 'deep/x.trace.json.gz'), gzipSync(JSON.stringify({ traceEvents })));
  const code = 'import json, pathlib, sys, spans; print(json.dumps(spans.times_of(pathlib.Path(sys.argv[1]))))';
  const { stdout } = await execa('python3', ['-c', code, folder], { cwd: join(ROOT, 'bench/compilation') });
  expect(JSON.parse(stdout)).toEqual({
    phases: { rewrite: 2, flow: 1.5, passes: 0.5, hal: 3 },
    passes: { ClampGathers: 1, FillParts: 0.5, SplitSums: 0.1 },
  });
});

async function pipeline(...args: string[]): Promise<{ code: number | undefined; all: string }> {
  const { exitCode, all } = await execa('node', ['bin/pipeline.mjs', ...args], { cwd: ROOT, reject: false, all: true });
  return { code: exitCode, all };
}

test('bench runs a script of package.json, with what it is told after two dashes', async () => {
  const told = await pipeline('bench', 'compile', '--', '--help');
  expect(told.code).toBe(0);
  expect(told.all).toContain('--turns <number>');
});

test('bench hands on the exit code of what it runs', async () => {
  const told = await pipeline('bench', 'compile', '--', '--turns', '-1');
  expect(told.code).toBe(2);
  expect(told.all).toContain('It must be a number above 0.');
});

test('a bench that is not there is refused, with a near one', async () => {
  const told = await pipeline('bench', 'compil');
  expect(told.code).toBe(2);
  expect(told.all).toContain("did you mean 'compile'?");
});
