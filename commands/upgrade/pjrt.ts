// SPDX-License-Identifier: Apache-2.0
import { parse } from 'yaml';
import type { Lock } from '../../stages/artifacts.js';
import { loadCompat, type HeaderRow } from '../../stages/lib/compat/rows.js';
import { API_HEADER, readHeaders, wheelOf } from '../../stages/resolve-versions/headers.js';
import { type MeasureContext, pipOfTools } from '../../measuring/row.js';
import { measuring } from '../compat/measuring.js';
import { openProject } from '../context.js';
import { pythonsOf } from '../resolve.js';
import { checkIn, rowIn, resolveIn, type Trial } from './trial.js';
import { diffHeaders } from './header-diff.js';
import { works, type Report } from './report.js';

/**
 * Tries another header of the PJRT C API: what it has beyond the header of the build, and whether the build changes to
 * it.
 */
export async function upgradePjrt(trial: Trial, version: string): Promise<Omit<Report, 'files'>> {
  const { context, workspace } = trial;
  const { row, lines } = await rowIn(trial, 'pjrt-headers', version);
  const project = await openProject(context);
  const before = lockedHeader(workspace.read('pipeline.lock.yaml'));
  const header = await measuring(context, project, {}, async (measure) => {
    const [old, now] = await Promise.all(
      [before, row as unknown as HeaderRow].map((from) => textOf(measure, from, pythonsOf(project))),
    );
    return diffHeaders(old ?? '', now ?? '');
  });
  const what = `PJRT C API ${String(row['pjrtApi'])} (${String(row['package'])} ${version}) beside ${before.pjrtApi}`;
  const resolved = await resolveIn(trial);
  const report = { what, row: lines, header, ...resolved, compile: [], refused: [] };
  if (!works(resolved)) return { ...report, notes: [] };
  const after = lockedHeader(workspace.read('pipeline.lock.yaml'));
  if (after.version === before.version) {
    const why = 'its own rules (compat/pjrt-headers.yaml, traps) leave the new one out, or prefer what it has';
    return { ...report, notes: [`the lock stays with ${before.package} ${before.version}: ${why}`] };
  }
  const variant = project.config.variants[0]?.id ?? '';
  return { ...report, variant, ...(await checkIn(trial, variant)), lock: resolved.lock, notes: [] };
}

function lockedHeader(text: string): HeaderRow {
  const { package: name, version, pjrtApi } = (parse(text) as Lock).pjrtHeaders;
  return { package: name, version, pjrtApi };
}

async function textOf(measure: MeasureContext, row: HeaderRow, pythons: readonly string[]): Promise<string> {
  const pip = pipOfTools(measure);
  const { headers } = await loadCompat(measure.root);
  const { distribution, python } = await wheelOf(pip, row, pythons);
  const members = await readHeaders(pip, headers, distribution, python);
  const found = [...members].find(([name]) => name.endsWith(`/${API_HEADER}`))?.[1];
  return found === undefined ? '' : Buffer.from(found).toString('utf8');
}
