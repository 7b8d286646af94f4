// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import type { PackagesArtifact, PlantedBug, Wheel } from '../artifacts.js';
import { LAUNCHER, pythonOf } from '../lib/testing/launcher.js';
import type { TestResult } from '../lib/testing/results.js';
import { ANY_EXIT_CODE } from '../lib/exit-codes.js';
import { freshShell } from '../lib/testing/wheel-env.js';

const COMPILED_CODE = 'planted::compiled-code';
const USE_PLATFORM = 'import jax; print(jax.devices())';

/**
 * Proves that the suite's silence means something: bugs planted in the plugin are reported, each with its line, and so
 * is a compiled program that reads what it must not. Without the sanitizer's runtime there is a message, and the
 * process goes on. `notRun` says why compiled programs cannot be run here.
 */
export async function proveReports(
  context: StageContext,
  python: string,
  wheel: Wheel,
  notRun?: string,
): Promise<TestResult[]> {
  const packages = context.artifact<PackagesArtifact>('render-packages');
  const planted = packages.value.planted;
  if (!planted) return [];
  const library = path.join(packages.dir, planted.library);
  const results: TestResult[] = [];
  for (const bug of planted.bugs) {
    context.progress(`planted ${bug.name}`);
    results.push(await timed(`planted::${bug.name}`, () => provePlanted(context, python, wheel, library, bug)));
  }
  return [
    ...results,
    notRun === undefined
      ? await timed(COMPILED_CODE, () => proveCompiledCode(context, python, wheel))
      : { id: COMPILED_CODE, duration: 0, outcome: 'skipped', message: `not run: ${notRun}` },
    await timed('without_launcher', () => proveMessage(context, python, wheel)),
  ];
}

/** Undefined, or what is wrong. */
type Finding = string | undefined;

async function provePlanted(
  context: StageContext,
  python: string,
  { platform }: Wheel,
  library: string,
  bug: PlantedBug,
): Promise<Finding> {
  const file = path.join(context.tempDir, `planted-${bug.name}.json`);
  await writeFile(file, JSON.stringify({ library_path: library, create_options: { planted_bug: bug.name } }));
  const [command, ...first] = pythonOf(context, python);
  const { exitCode, stderr } = await context.exec(command, [...first, '-c', USE_PLATFORM], {
    ...surroundings(context),
    env: {
      ...surroundings(context).env,
      JAX_PLATFORMS: platform,
      PJRT_NAMES_AND_LIBRARY_PATHS: `${platform}:${file}`,
    },
  });
  const reported = stderr.includes(bug.report) && new RegExp(`${bug.file}:${bug.line}\\b`).test(stderr);
  if (exitCode !== 0 && reported) return undefined;
  return `wanted '${bug.report}' with ${bug.file}:${bug.line}; exit code ${exitCode}, and:\n${stderr.slice(-4000)}`;
}

async function proveCompiledCode(context: StageContext, python: string, { platform }: Wheel): Promise<Finding> {
  const program = path.join(context.root, 'stages', 'lib', 'testing', 'smoke', 'poisoned_input.py');
  const [command, ...first] = pythonOf(context, python);
  const { exitCode, stderr } = await context.exec(command, [...first, program], {
    ...surroundings(context),
    env: { ...surroundings(context).env, JAX_PLATFORMS: platform },
  });
  // The code that reads has no name, but the plugin's loader of compiled code (cpu/object_loader.cc) called it. Of that
  // function gcc's runtime does not always find the line.
  const called = /#0 \S+ +\(<unknown module>\)\n +#1 .*\bIssueCall\b/.test(stderr);
  if (exitCode !== 0 && stderr.includes('use-after-poison') && called) return undefined;
  return `wanted 'use-after-poison' in compiled code; exit code ${exitCode}, and:\n${stderr.slice(-4000)}`;
}

async function proveMessage(context: StageContext, python: string, { platform }: Wheel): Promise<Finding> {
  // The program asks for our platform, which refuses with a message; JAX's own platform works in the same process.
  const program = [
    'import jax',
    'try:',
    `    jax.devices(${JSON.stringify(platform)})`,
    'except RuntimeError as error:',
    '    print(error)',
    'print(jax.jit(lambda x: x + 41)(1), jax.devices("cpu")[0].platform)',
  ].join('\n');
  const { exitCode, stdout } = await context.exec(python, ['-c', program], {
    ...surroundings(context),
    env: { ...surroundings(context).env, JAX_PLATFORMS: `cpu,${platform}` },
  });
  const plain = stdout.includes(`Start the program with:  ${LAUNCHER} python script.py`);
  if (exitCode === 0 && plain && stdout.trimEnd().endsWith('42 cpu')) return undefined;
  return `wanted a message that names ${LAUNCHER}, and 42 on cpu; exit code ${exitCode}, and:\n${stdout.slice(-4000)}`;
}

function surroundings(context: StageContext) {
  return { cwd: context.tempDir, env: freshShell(path.join(context.tempDir, 'cache')), okCodes: ANY_EXIT_CODE };
}

async function timed(id: string, prove: () => Promise<Finding>): Promise<TestResult> {
  const startedAt = performance.now();
  const message = await prove();
  const duration = (performance.now() - startedAt) / 1000;
  return { id, duration, outcome: message === undefined ? 'passed' : 'failed', ...(message ? { message } : {}) };
}
