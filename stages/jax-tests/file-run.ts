// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { PipelineFailure } from '../../engine/failure.js';
import { ANY_EXIT_CODE } from '../lib/exit-codes.js';
import { freshShell } from '../lib/testing/wheel-env.js';
import { labelOf } from './label.js';
import { parseRecord, type PytestRecord, type TestEnd } from './records.js';
import type { JaxTestsOptions, JaxTestsRequest, TestFile } from './request.js';

/** How every test of a file ended, by its ID. */
export interface FileResult {
  readonly tests: Readonly<Record<string, TestEnd>>;
  /** Why none could be run. */
  readonly unreadable?: string;
  readonly seconds: number;
}

/** Where a file is run. */
export interface Place {
  /** JAX's name of the platform. */
  readonly platform: string;
  readonly python: string;
}

/** Failures are run once more by themselves, up to this many: a file with more of them is not flaky. */
export const MAX_RERUNS = 50;
/** Runs of one file: each goes on after what stopped the one before. */
const MAX_ROUNDS = 20;
const POLL_MS = 2_000;

/** Runs one file to its end, whatever its tests do to their processes. */
export class FileRun {
  readonly #context: StageContext<JaxTestsOptions>;
  readonly #request: JaxTestsRequest;
  readonly #place: Place;
  readonly #file: TestFile;
  readonly #say: (progress: string) => void;
  readonly #started = Date.now();
  readonly #ends = new Map<string, TestEnd>();
  #pytests = 0;

  constructor(
    context: StageContext<JaxTestsOptions>,
    request: JaxTestsRequest,
    place: Place,
    file: TestFile,
    say: (progress: string) => void,
  ) {
    this.#context = context;
    this.#request = request;
    this.#place = place;
    this.#file = file;
    this.#say = say;
  }

  async run(): Promise<FileResult> {
    const { unreadable, collected } = await this.#allTests();
    if (unreadable === undefined) await this.#failuresAgain();
    const order = new Map(collected.map((test, index) => [test, index]));
    const tests = [...this.#ends].sort(([a], [b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    return {
      tests: Object.fromEntries(tests),
      ...(unreadable === undefined ? {} : { unreadable }),
      seconds: Math.round((Date.now() - this.#started) / 1000),
    };
  }

  /** As many runs as are needed for every test to have an end: one, unless a run is stopped half-way. */
  async #allTests(): Promise<Pick<PytestRecord, 'unreadable' | 'collected'>> {
    let collected: readonly string[] = [];
    let missing: readonly string[] | undefined;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const record = await this.#pytest(this.#context.jobs, missing);
      if (collected.length === 0) collected = record.collected;
      for (const [test, end] of record.ends) this.#ends.set(test, end);
      for (const test of record.running) this.#fail(test, 'Time-out: it ran when no test had ended for too long');
      const before = missing?.length ?? Infinity;
      missing = collected.filter((test) => !this.#ends.has(test));
      const { unreadable } = record;
      if (unreadable !== undefined && this.#ends.size === 0) return { unreadable, collected };
      if (missing.length === 0 || missing.length >= before) break;
    }
    for (const test of missing ?? []) this.#fail(test, 'Not run: pytest was ended before its turn');
    return { collected };
  }

  async #failuresAgain(): Promise<void> {
    const failed = [...this.#ends].filter(([, { outcome }]) => outcome === 'failed').map(([test]) => test);
    if (failed.length === 0 || failed.length > MAX_RERUNS) return;
    const record = await this.#pytest(1, failed);
    for (const [test, end] of record.ends) if (end.outcome === 'passed') this.#ends.set(test, { ...end, flaky: true });
  }

  #fail(test: string, message: string): void {
    this.#ends.set(test, { outcome: 'failed', seconds: 0, message });
  }

  async #pytest(workers: number, only?: readonly string[]): Promise<PytestRecord> {
    const { options, tempDir } = this.#context;
    this.#pytests += 1;
    const name = `${labelOf(this.#file)}-${this.#place.platform}-${this.#pytests}`;
    const record = path.join(tempDir, `${name}.jsonl`);
    await writeFile(record, '');
    const chosen = only === undefined ? [] : ['--record-only', path.join(tempDir, `${name}.only.json`)];
    if (chosen[1] !== undefined) await writeFile(chosen[1], JSON.stringify(only));
    const poll = setInterval(() => void this.#tell(record, only !== undefined), POLL_MS);
    let silent: string | undefined;
    try {
      const output = await this.#exec([...this.#arguments(workers), '--record', record, ...chosen]);
      await this.#keepLog(name, output);
    } catch (error) {
      // pytest fell silent and was ended; what was recorded counts. Anything else ends the stage.
      if (!(error instanceof PipelineFailure) || error.failure.kind !== 'timeout') throw error;
      if (this.#context.signal.aborted) throw error;
      silent = error.failure.message;
    } finally {
      clearInterval(poll);
    }
    const found = parseRecord(await readFile(record, 'utf8'), options.testTimeoutSeconds);
    return silent === undefined || found.collected.length > 0 ? found : { ...found, unreadable: silent };
  }

  #arguments(workers: number): string[] {
    const { folder } = this.#request.checkout;
    const { select } = this.#request;
    const settings = path.join(folder, 'pyproject.toml');
    return [
      ...['-m', 'pytest', '-p', 'recorder', '-p', 'former_names', '-p', 'no:cacheprovider', '-q', '--tb=short'],
      // JAX's own settings of pytest where there are any, and never those of a folder above.
      ...['-c', existsSync(settings) ? settings : os.devNull, '--rootdir', folder],
      // xdist replaces a process that ended; it knows which test the process was in, and which are left.
      ...['-n', String(workers), '--dist', 'worksteal', '--max-worker-restart', '100000'],
      ...['--test-timeout', String(this.#context.options.testTimeoutSeconds)],
      ...['--devices', String(this.#file.devices)],
      ...(select === undefined ? [] : ['-k', select]),
      this.#file.path,
    ];
  }

  async #exec(args: readonly string[]): Promise<string> {
    const { root, tempDir, options } = this.#context;
    const { stdout } = await this.#context.exec(this.#place.python, args, {
      cwd: path.dirname(this.#file.path),
      env: {
        ...freshShell(path.join(tempDir, 'cache')),
        // XLA:CPU is there beside it, as where JAX's tests are run on other accelerators.
        JAX_PLATFORMS: [...new Set([this.#place.platform, 'cpu'])].join(','),
        ...deviceEnvironment(this.#file.devices),
        JAX_NUM_GENERATED_CASES: String(options.generatedCases),
        PYTHONPATH: path.join(root, 'stages', 'jax-tests', 'python'),
      },
      okCodes: ANY_EXIT_CODE,
      silenceMs: options.silenceSeconds * 1000,
      echo: false,
    });
    return stdout;
  }

  async #keepLog(name: string, output: string): Promise<void> {
    const folder = path.join(this.#context.workDir, 'logs');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, `${name}.log`), output);
  }

  async #tell(file: string, again: boolean): Promise<void> {
    const text = await readFile(file, 'utf8').catch(() => '');
    const { collected, ends } = parseRecord(text, 0);
    const failed = [...ends.values()].filter(({ outcome }) => outcome === 'failed').length;
    this.#say(`${again ? 'again: ' : ''}${ends.size} of ${collected.length} tests, ${failed} failed`);
  }
}

/**
 * The environment that gives XLA:CPU, and the wheel's platform, more devices than the one that they have by default.
 */
function deviceEnvironment(devices: number): Record<string, string> {
  const count = String(devices);
  return devices === 1 ? {} : { JAX_NUM_CPU_DEVICES: count, IREE_PJRT_NUM_DEVICES: count };
}
