// SPDX-License-Identifier: Apache-2.0
/** The smoke test: the pytest suite in `smoke/`, run in an environment in which a wheel is installed. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../../engine/api.js';
import type { Wheel } from '../../artifacts.js';
import { hostMachine, machineOf } from '../pythons.js';
import { pythonOf, reportIn } from './launcher.js';
import { parseResults, type SuiteResults } from './results.js';
import { ANY_EXIT_CODE } from '../exit-codes.js';
import { freshShell } from './wheel-env.js';

/** Folder of the suite below stages/lib/testing. */
const SUITE = 'smoke';

export interface SuiteRequest {
  /** Interpreter of the environment. */
  readonly python: string;
  readonly wheel: Wheel;
  readonly label: string;
  /** Seconds that the suite may go without the end of a test. */
  readonly silenceSeconds: number;
}

export interface SuiteRun extends SuiteResults {
  /** How it went wrong without a test that failed. */
  readonly problem?: { readonly message: string; readonly detail: string };
  /** What pytest and the tests wrote. */
  readonly output: string;
}

/** How much longer a test may take on a processor that is emulated. */
const EMULATED = 6;

export async function runSuite(
  context: StageContext,
  { python, wheel, label, silenceSeconds }: SuiteRequest,
): Promise<SuiteRun> {
  const suite = path.join(context.root, 'stages', 'lib', 'testing', SUITE);
  const file = path.join(context.tempDir, `${label}.jsonl`);
  await writeFile(file, '');
  const [command, ...first] = pythonOf(context, python);
  // The settings file is said outright: from the other arguments, some of which are files, pytest would guess another.
  // What native code says last, such as a report of a sanitizer, must not end in pytest's files with the process.
  const settings = [
    '--capture=sys',
    '-p',
    'no:cacheprovider',
    '-c',
    path.join(suite, 'pytest.ini'),
    '--rootdir',
    suite,
    '-q',
  ];
  const about = ['--results', file, '--platform', wheel.platform, '--distribution', wheel.name];
  const { exitCode, stdout, stderr } = await context.exec(
    command,
    [...first, '-m', 'pytest', ...settings, ...about, suite],
    {
      cwd: context.tempDir,
      env: freshShell(path.join(context.tempDir, 'cache')),
      okCodes: ANY_EXIT_CODE,
      silenceMs: silenceSeconds * 1000 * (machineOf(context) === hostMachine() ? 1 : EMULATED),
    },
  );
  const results = parseResults(await readFile(file, 'utf8'), `exit code ${exitCode}`);
  const output = `${stdout}\n${stderr}`;
  const report = reportIn(output);
  const failed = results.tests.some(({ outcome }) => outcome === 'failed');
  if (failed || (exitCode === 0 && results.tests.length > 0 && report === undefined)) return { ...results, output };
  return {
    ...results,
    output,
    problem: {
      message: `ended with exit code ${exitCode} and named no failed test`,
      detail: report ?? `${results.tests.length} tests had reported a result`,
    },
  };
}
