// SPDX-License-Identifier: Apache-2.0
/** Our conformance tests (stages/conformance/python) on the packed wheel. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../../engine/api.js';
import type { Wheel, WheelsArtifact } from '../../artifacts.js';
import { targetsOf } from '../frameworks.js';
import { junitTotals, type JunitTotals } from '../junit.js';
import { ANY_EXIT_CODE } from '../exit-codes.js';
import { freshShell, installWheel } from './wheel-env.js';

export const CONFORMANCE = path.join('stages', 'conformance', 'python');

export interface ConformanceOptions {
  readonly requirements: readonly string[];
  readonly testTimeoutSeconds: number;
  readonly silenceSeconds: number;
  readonly channel?: string;
}

export interface Installed {
  /** Interpreter of the environment that holds the wheel. */
  readonly python: string;
  readonly wheel: Wheel;
  readonly file: string;
}

/** Installs the wheel and the test tools for the lowest Python here. */
export async function installConformance(context: StageContext<ConformanceOptions>): Promise<Installed> {
  const wheels = context.artifact<WheelsArtifact>('pack-wheels');
  const [target] = await targetsOf(context);
  const [wheel] = wheels.value.wheels;
  if (!wheel) throw new Error('pack-wheels made no wheel');
  const file = path.join(wheels.dir, wheel.file);
  context.progress(`install on Python ${target.framework.python}, jaxlib ${target.framework.jaxlib}`);
  const { python } = await installWheel(context, {
    folder: path.join(context.tempDir, 'environment'),
    wheel: file,
    target,
    requirements: context.options.requirements,
  });
  return { python, wheel, file };
}

export interface ConformanceRequest extends Installed {
  /** JUnit XML, written there. */
  readonly junit: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the tests, a process for each core; a test that hangs ends with its process, for which another is started. */
export async function runConformance(
  context: StageContext<ConformanceOptions>,
  { python, wheel, junit, args = [], env = {} }: ConformanceRequest,
): Promise<JunitTotals & { readonly exitCode: number }> {
  const suite = path.join(context.root, CONFORMANCE);
  const { testTimeoutSeconds, silenceSeconds } = context.options;
  await mkdir(path.dirname(junit), { recursive: true });
  // The settings file is named: otherwise pytest would look for one beside its other arguments, some of which are
  // files.
  const settings = ['-c', path.join(suite, 'pytest.ini'), '--rootdir', suite];
  const workers = ['-n', String(context.jobs), '--dist', 'worksteal'];
  const timeout = [`--timeout=${testTimeoutSeconds}`, '--timeout-method=thread'];
  const report = [`--junitxml=${junit}`, '-q'];
  // With `=`: what the folder's conftest.py has not declared yet would leave its value to be taken for a folder.
  const about = `--platform=${wheel.platform}`;
  const { exitCode } = await context.exec(
    python,
    ['-m', 'pytest', ...settings, ...workers, ...timeout, ...report, ...args, about, suite],
    {
      cwd: context.tempDir,
      env: {
        ...freshShell(path.join(context.tempDir, 'cache')),
        ...env,
      },
      okCodes: ANY_EXIT_CODE,
      silenceMs: silenceSeconds * 1000,
    },
  );
  return { ...junitTotals(await readFile(junit, 'utf8').catch(() => '<testsuites/>')), exitCode };
}
