// SPDX-License-Identifier: Apache-2.0
import type { JsonObject, StageContext } from '../../engine/api.js';
import { PipelineFailure } from '../../engine/failure.js';
import type { FoundPython, MatrixCellArtifact } from '../artifacts.js';
import { countOf, missingDevice } from '../lib/testing/results.js';
import { runSuite, type SuiteRun } from '../lib/testing/suite.js';
import { cellOf, wheelOf, type Cell, type CellOptions, type WheelFile } from './cell.js';
import { cellEnvironment, type CellEnvironment } from './environment.js';
import { proveRefusal } from './refusal.js';
import { lineOf, NO_TESTS, tailOf, type Verdict } from './verdict.js';

/** Tries the wheel with one set of versions. What the set does is the value; a failure is a machine that cannot say. */
export async function matrixCell(context: StageContext<CellOptions>): Promise<MatrixCellArtifact> {
  const startedAt = performance.now();
  const cell = await cellOf(context);
  const verdict = await verdictOf(context, cell, wheelOf(context));
  context.log(`${context.variant.id}: ${[verdict.result, verdict.kind, verdict.reason].filter(Boolean).join(', ')}`);
  return { ...verdict, seconds: Math.round((performance.now() - startedAt) / 100) / 10 };
}

async function verdictOf(context: StageContext<CellOptions>, cell: Cell, wheel: WheelFile): Promise<Verdict> {
  const python = context.artifact<FoundPython>('find-pythons').value.path;
  if (cell.barrier !== undefined) return proveRefusal(context, { ...cell, barrier: cell.barrier }, wheel, python);
  if (python === undefined) return notRun('python', `Python ${cell.python} was not found`);
  const environment = await cellEnvironment(context, cell, wheel, python);
  return 'refused' in environment ? environment.refused : tryWheel(context, cell, wheel, environment);
}

export function notRun(kind: string, reason: string): Verdict {
  return { ...NO_TESTS, result: 'not-run', kind, reason };
}

async function tryWheel(
  context: StageContext<CellOptions>,
  cell: Cell,
  wheel: WheelFile,
  { python }: CellEnvironment,
): Promise<Verdict> {
  context.progress(`run on jaxlib ${cell.jaxlib}, Python ${cell.python}`);
  try {
    const { silenceSeconds } = context.options;
    return judge(context, cell, await runSuite(context, { python, wheel, label: 'suite', silenceSeconds }));
  } catch (error) {
    if (!(error instanceof PipelineFailure) || error.failure.kind !== 'timeout') throw error;
    return { ...NO_TESTS, result: 'fails', kind: 'timeout', reason: lineOf(context, error.failure.message) };
  }
}

/** What the suite's results say of the cell. */
export function judge(
  context: Pick<StageContext, 'tempDir' | 'root'>,
  cell: Pick<Cell, 'jaxlib' | 'compiler' | 'compilerPackage'>,
  suite: SuiteRun,
): Verdict {
  const counts = {
    passed: countOf(suite, 'passed'),
    failed: countOf(suite, 'failed'),
    skipped: countOf(suite, 'skipped'),
  };
  const versions = textsOf(suite.versions);
  const base = { versions, ...counts, logTail: tailOf(context, suite.output) };
  const fails = (kind: string, reason: string): Verdict => ({
    ...base,
    result: 'fails',
    kind,
    reason: lineOf(context, reason),
  });
  const wrong = wrongVersion(cell, versions);
  if (wrong !== undefined) return fails('versions', wrong);
  const missing = missingDevice(suite);
  if (missing !== undefined) return { ...base, result: 'not-run', kind: 'device', reason: missing };
  if (suite.problem) return fails('crash', `the smoke test ${suite.problem.message}`);
  const first = suite.tests.find(({ outcome }) => outcome === 'failed');
  if (first) {
    const total = suite.tests.length;
    return fails('tests', `${counts.failed} of ${total} tests fail, first ${first.id}: ${first.message ?? 'failed'}`);
  }
  return { ...base, result: 'works' };
}

/** Which reported version is not the cell's, if any: the cell then says nothing. */
function wrongVersion(
  { jaxlib, compiler, compilerPackage }: Pick<Cell, 'jaxlib' | 'compiler' | 'compilerPackage'>,
  versions: Readonly<Record<string, string>>,
): string | undefined {
  const wanted = { jaxlib, [compilerPackage]: compiler };
  const [name] = Object.entries(wanted).find(([key, version]) => versions[key] !== version) ?? [];
  if (name === undefined) return undefined;
  return `${name} ${wanted[name] ?? ''} was asked for, the process reports ${versions[name] ?? 'none'}`;
}

function textsOf(versions: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(versions).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
