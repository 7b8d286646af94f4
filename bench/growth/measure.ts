// SPDX-License-Identifier: Apache-2.0
/** Runs compare.py over cells, and keeps each row as it comes, so that a run that is ended goes on where it stopped. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { ProcessOutput } from 'zx';
import { fail } from '../../engine/failure.js';
import { cores, pluginEnv, root, scripts } from '../report.js';
import { cellsOf, togetherOf, type Cell, type Listed, type Measured } from './cell.js';
import { suspectsOf } from './judge.js';
import { maskingLibrary } from './masked.js';
import { Progress } from './progress.js';

/** How often cells over a bound are measured again. */
const AGAIN = 2;

/** The two environments in which `python` finds JAX and one of the platforms. */
export interface Envs {
  readonly xla: NodeJS.ProcessEnv;
  readonly ours: NodeJS.ProcessEnv;
}

/** Of a variant as it was last built; where `masked`, both see the processor as one without AVX-512. */
export async function envsOf(variant: string | undefined, masked: boolean): Promise<Envs> {
  // Nothing is compiled twice in a run, and what was compiled before is not to be found.
  const env: NodeJS.ProcessEnv = {
    ...(await environment(variant)),
    JAX_ENABLE_COMPILATION_CACHE: '0',
    IREE_PJRT_CACHE_SIZE: '0',
  };
  const { IREE_PJRT_ZIG: zig = 'zig' } = env;
  if (masked) env['LD_PRELOAD'] = await maskingLibrary(zig, path.join(root, '.pipeline', 'growth', 'masked'));
  return {
    // Nothing of the plugin: it would be loaded there, too.
    xla: { ...env, PJRT_NAMES_AND_LIBRARY_PATHS: undefined, JAX_PLATFORMS: 'cpu', PYTHONPATH: scripts },
    ours: { ...env, JAX_PLATFORMS: 'iree_cpu' },
  };
}

/** As pluginEnv; a `usage` failure in the pipeline's own words where there is no such variant, or it is not built. */
async function environment(variant: string | undefined): Promise<NodeJS.ProcessEnv> {
  try {
    return await pluginEnv(variant);
  } catch (error) {
    if (!(error instanceof ProcessOutput)) throw error;
    const [message = '', ...help] = error.stderr
      .trim()
      .replace(/^error: /, '')
      .split('\n');
    return fail({ kind: 'usage', message, help: help.join(' ').replace(/^\s*try: /, '') });
  }
}

export interface Listing {
  readonly jaxlib: string;
  readonly cells: readonly Listed[];
}

export async function listed({ xla }: Envs): Promise<Listing> {
  const { stdout } = await execa('python', [path.join(import.meta.dirname, 'cells.py')], {
    env: xla,
    extendEnv: false,
  });
  return JSON.parse(stdout) as Listing;
}

export interface Asked {
  readonly cells: readonly Listed[];
  readonly envs: Envs;
  /** Where rows are kept. */
  readonly file: string;
  /** What the rows depend on: a run goes on only with the same. */
  readonly key: string;
  readonly resume: boolean;
  /** How long each side of a cell is timed. */
  readonly seconds: number;
  /** How long one step of a cell may take, in seconds. */
  readonly limit: number;
}

/**
 * The cells, those of an ended run among them; undefined if this one was ended. Cells over a bound are measured again, when
 * all others are done: where a process lies in memory, and other work of the machine, make one up to twice as slow.
 */
export async function measured(asked: Asked): Promise<readonly Cell[] | undefined> {
  const before = asked.resume ? await kept(asked) : [];
  if (before.length === 0) await begin(asked);
  const rows = new Map<string, Measured>();
  for (const row of before) keep(rows, row);
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      ended.abort();
    });
  const missing = asked.cells.map(({ id }) => id).filter((id) => !rows.has(id));
  await compareInto(rows, asked, missing, rows.size, ended.signal);
  for (let round = 0; round < AGAIN && !ended.signal.aborted; round += 1) {
    const ids = suspectsOf(cellsOf(asked.cells, rows));
    if (ids.length === 0) break;
    process.stderr.write(`${ids.length} cells again: they are over a bound, or one beside them is\n`);
    await compareInto(rows, asked, ids, 0, ended.signal);
  }
  if (ended.signal.aborted) return undefined;
  return cellsOf(asked.cells, rows);
}

/** Measures cells, of which `before` others are done, and keeps their rows, here and in the file. */
async function compareInto(
  rows: Map<string, Measured>,
  asked: Asked,
  ids: readonly string[],
  before: number,
  ended: AbortSignal,
): Promise<void> {
  const progress = new Progress(before + ids.length, before, process.stderr);
  for await (const row of compared(asked, ids, ended)) {
    keep(rows, row);
    await appendFile(asked.file, `${JSON.stringify(row)}\n`);
    progress.show(row);
  }
  progress.end();
}

/** A row, or what it and an earlier one of its cell say together. */
function keep(rows: Map<string, Measured>, row: Measured): void {
  const earlier = rows.get(row.id);
  rows.set(row.id, earlier ? togetherOf(earlier, row) : row);
}

/** The cells' rows as they come, until all are there or the run is ended. */
async function* compared(asked: Asked, cells: readonly string[], ended: AbortSignal): AsyncGenerator<Measured> {
  const script = path.join(import.meta.dirname, 'compare.py');
  // No shell starts Python (see ../rows.ts).
  const run = execa('taskset', ['-c', cores, 'python', script], {
    env: asked.envs.ours,
    input: JSON.stringify({ ...asked, cells }),
    stderr: 'inherit',
    buffer: false,
    reject: false,
  });
  ended.addEventListener('abort', () => run.kill('SIGINT'));
  for await (const line of run) yield JSON.parse(line) as Measured;
  const { exitCode } = await run;
  if (!ended.aborted && exitCode !== 0) {
    throw new Error(`compare.py ended with ${exitCode ?? 'a signal'}; what it said is above`);
  }
}

async function begin({ file, key }: Asked): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify({ key })}\n`);
}

/** The rows of the run that was ended; a `usage` failure if it was of something else. */
async function kept({ file, key, cells }: Asked): Promise<Measured[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  // The last line may have been cut off: new rows begin on a line of their own.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [head, ...rows] = whole.split('\n').slice(0, -1);
  if (head === undefined) {
    return fail({ kind: 'usage', message: '--resume: no run was ended', help: 'leave --resume out' });
  }
  if ((JSON.parse(head) as { key: string }).key !== key) {
    const message = '--resume: the run that was ended measured another library, jaxlib or processor';
    return fail({ kind: 'usage', message, help: 'leave --resume out' });
  }
  await writeFile(file, whole);
  const wanted = new Set(cells.map(({ id }) => id));
  return rows.map((row) => JSON.parse(row) as Measured).filter(({ id }) => wanted.has(id));
}
