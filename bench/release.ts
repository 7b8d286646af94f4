// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run bench`: how long a release takes, from a clean clone of HEAD: with empty caches, with downloads
 * cached, unchanged, and after one .cc file was touched. One run, one machine; writes the table in README.md.
 */
import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, homedir, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { $, type ProcessOutput } from 'zx';

import { benchCommand, runBench } from './command.js';
import { root, writeTable } from './report.js';

interface Row {
  readonly what: string;
  readonly target: string;
  readonly seconds: number;
  readonly detail: string;
}

/** The environment with every download cache in one new folder: the user's own neither help nor are filled. */
function isolated(caches: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    XDG_CACHE_HOME: path.join(caches, 'xdg'),
    UV_CACHE_DIR: path.join(caches, 'uv'),
    PIP_CACHE_DIR: path.join(caches, 'pip'),
    CARGO_HOME: path.join(caches, 'cargo'),
    RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? path.join(homedir(), '.rustup'),
    NO_COLOR: '1',
  };
}

async function clone(folder: string, name: string): Promise<string> {
  const target = path.join(folder, name);
  await $`git clone --quiet ${root} ${target}`;
  await $({ cwd: target })`npm ci --silent`;
  return target;
}

async function timed(checkout: string, env: NodeJS.ProcessEnv): Promise<{ seconds: number; detail: string }> {
  const start = performance.now();
  const output: ProcessOutput = await $({ cwd: checkout, env, quiet: true })`npx pipeline run release --plain`;
  const seconds = (performance.now() - start) / 1000;
  const detail = output.stdout.split('\n').find((line) => /^(Done|Nothing to do)/.test(line)) ?? '';
  return { seconds, detail };
}

/** The median of several runs: the time of one depends on what else the machine does. */
async function unchangedRun(checkout: string, env: NodeJS.ProcessEnv): Promise<{ seconds: number; detail: string }> {
  const runs = [];
  for (let i = 0; i < 5; i++) runs.push(await timed(checkout, env));
  const [, , median] = runs.sort((a, b) => a.seconds - b.seconds);
  if (!median) throw new Error('five runs have a median');
  return median;
}

/** A change after which the compiler has work, and the library is another one. */
async function touchOneFile(checkout: string): Promise<void> {
  await appendFile(
    path.join(checkout, 'native', 'src', 'base', 'error.cc'),
    `\n[[gnu::used, gnu::retain]] static const char kBench[] = "${Date.now()}";\n`,
  );
}

async function measure(): Promise<readonly Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pipeline-bench-'));
  try {
    const caches = path.join(folder, 'caches');
    await mkdir(caches);
    const env = isolated(caches);
    const first = await clone(folder, 'cold');
    const cold = await timed(first, env);
    const cached = await timed(await clone(folder, 'cached'), env);
    const unchanged = await unchangedRun(first, env);
    await touchOneFile(first);
    const incremental = await timed(first, env);
    return [
      { what: 'clean clone, empty caches', target: '≤ 360', ...cold },
      { what: 'clean clone, downloads cached', target: '≤ 150', ...cached },
      { what: 'nothing changed, with the start of npx (median of 5)', target: '≤ 1.0', ...unchanged },
      { what: 'one .cc file touched → new wheel, smoke-tested', target: '', ...incremental },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function tableOf(rows: readonly Row[]): string[] {
  const [cpu] = cpus();
  const machine = `${availableParallelism()} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const body = rows.map(
    ({ what, target, seconds, detail }) => `| ${what} | ${seconds.toFixed(1)} | ${target} | ${detail} |`,
  );
  return [
    `One run on ${machine}, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    '| `npx pipeline run release` | seconds | target | its last line |',
    '|---|---|---|---|',
    ...body,
  ];
}

const command = benchCommand('bench', 'Times a release from a clean clone of HEAD, with and without caches.');
await runBench(command, async () => writeTable('release', tableOf(await measure())));
