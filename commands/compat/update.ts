// SPDX-License-Identifier: Apache-2.0
/** New releases of jaxlib and IREE: found, measured, written into compat/ for review. */
import { PipelineFailure, type FailureKind } from '../../engine/failure.js';
import { loadCompat } from '../../stages/lib/compat/rows.js';
import {
  measureRow,
  pipOfTools,
  writeMeasurement,
  type MeasureContext,
  type Measurement,
} from '../../measuring/row.js';
import { newReleases, type Release } from '../../measuring/releases.js';
import { type CommandContext, type Project, print } from '../context.js';
import { makeTools, measuring } from './measuring.js';

/** Failures that say nothing of a release: they end the update. */
const NOT_ITS_FAULT: readonly FailureKind[] = ['cancelled', 'network', 'disk', 'timeout'];

/** Shows each row that is written. A release that cannot be measured is named, and nothing is written of it. */
export async function updateCompat(
  context: CommandContext,
  project: Project,
  pythons: readonly string[],
  more: { readonly jaxRepository?: string },
): Promise<number> {
  const exitCode = await makeTools(context, project);
  if (exitCode !== 0) return exitCode;
  return await measuring(context, project, more, async (measure) => {
    const releases = await newReleases(pipOfTools(measure), await loadCompat(project.root), pythons);
    if (releases.length === 0) print(context, 'no release on the registry is newer than what compat/ knows');
    for (const release of releases) await takeOver(context, release, measure);
    return 0;
  });
}

async function takeOver(context: CommandContext, release: Release, measure: MeasureContext): Promise<void> {
  const { kind, version } = release;
  let measurement: Measurement;
  try {
    measurement = await measureRow(kind, version, measure);
  } catch (error) {
    if (!(error instanceof PipelineFailure) || NOT_ITS_FAULT.includes(error.failure.kind)) throw error;
    const { failure } = error;
    const tail = failure.kind === 'command' ? failure.tail.slice(-3) : [];
    const help = 'help' in failure ? [`try: ${failure.help}`] : [];
    const lines = [`new: ${kind} ${version} could not be measured: ${failure.message}`, ...tail, ...help];
    context.stderr.write(`${lines.join('\n  ')}\n`);
    return;
  }
  await writeMeasurement(measure.root, measurement);
  const { file, diff } = measurement;
  print(context, [`new: ${kind} ${version}, measured and written to ${file}:`, ...diff.map((line) => `  ${line}`)]);
}
