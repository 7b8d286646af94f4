// SPDX-License-Identifier: Apache-2.0
/** How fast a release line is beside the one before it: `npm run bench:releases`, in the copy of the project. */
import { compare } from '@renovatebot/pep440';
import type { Variant } from '../../engine/api.js';
import { PipelineFailure, type Failure } from '../../engine/failure.js';
import { readTimings, type TimingRow } from '../../stages/compare-releases/timings.js';
import { runStages } from './children.js';
import type { Trial } from './trial.js';

export type Speed =
  | { readonly before: string; readonly rows: readonly TimingRow[] }
  /** Why there are no times. */
  | { readonly problem: string };

const SCRIPT = 'bench/releases.ts';
/** What the library under JAX is made of. */
const LIBRARY = ['--only', 'build-native,render-packages,setup-jax'];
/** It says how far it is before each pair of processes. */
const SILENCE_MS = 10 * 60_000;

/** Measures `after` beside the line before it. Times are no condition of an upgrade: a failure is part of the answer. */
export async function speedOf(trial: Trial, variants: readonly Variant[], after: Variant): Promise<Speed> {
  const before = lineBefore(variants, after);
  if (!before) return { problem: 'pipeline.yaml has no older release line to compare with' };
  const { context, exec, workspace } = trial;
  try {
    const built = await runStages(exec, context, workspace.root, [...LIBRARY, '--variant', before.id]);
    const broken = built.find(({ failure }) => failure !== undefined);
    if (broken?.failure) return { problem: `${broken.node}: ${broken.failure.message}` };
    context.stderr.write(`${context.colors.dim(`start    ${SCRIPT}`)}\n`);
    const args = ['--import', 'tsx', SCRIPT, '--before', before.id, '--after', after.id];
    await exec(process.execPath, args, { cwd: workspace.root, silenceMs: SILENCE_MS });
    const timings = await readTimings(workspace.root);
    if (!timings) return { problem: `${SCRIPT} wrote no times` };
    return { before: `IREE ${timings.before.iree}`, rows: timings.rows };
  } catch (error) {
    if (!(error instanceof PipelineFailure) || error.failure.kind === 'cancelled') throw error;
    return { problem: problemOf(error.failure) };
  }
}

/** The newest older release line of a variant that is otherwise the same. */
export function lineBefore(variants: readonly Variant[], after: Variant): Variant | undefined {
  if (after.axes['iree'] === undefined) return undefined;
  const line = ({ axes }: Variant): string => axes['iree'] ?? '';
  const others = ({ axes }: Variant): string => JSON.stringify({ ...axes, iree: '' });
  return variants
    .filter((variant) => others(variant) === others(after) && compare(line(variant), line(after)) < 0)
    .sort((one, other) => compare(line(one), line(other)))
    .at(-1);
}

function problemOf(failure: Failure): string {
  const last = failure.kind === 'command' ? failure.tail.findLast((line) => line.trim() !== '') : undefined;
  return last === undefined ? failure.message : `${failure.message}: ${last.trim()}`;
}
