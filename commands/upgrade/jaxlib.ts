// SPDX-License-Identifier: Apache-2.0
import { openProject } from '../context.js';
import { allow } from './edit-config.js';
import { works, type Report } from './report.js';
import { checkIn, rowIn, resolveIn, type Trial } from './trial.js';

/** Widens the range of jaxlib that one wheel works with by a release. */
export async function upgradeJaxlib(trial: Trial, version: string): Promise<Omit<Report, 'files'>> {
  const { workspace, context } = trial;
  const { lines } = await rowIn(trial, 'jaxlib', version);
  workspace.write('pipeline.yaml', allow(workspace.read('pipeline.yaml'), 'jaxlib', version));
  const what = `jaxlib ${version}`;
  const resolved = await resolveIn(trial);
  if (!works(resolved)) return { what, row: lines, ...resolved, compile: [], refused: [], notes: [] };
  const { config } = await openProject(context);
  const variant = config.variants[0]?.id ?? '';
  const checked = await checkIn(trial, variant);
  const taken = workspace.read('pipeline.lock.yaml').includes(`jaxlib: ${version}`);
  const notes = [
    ...(taken ? [] : [`the lock takes another jaxlib for each Python: ${version} itself was not tested`]),
    'with each Python and IREE: npx pipeline run matrix, then npx pipeline compat record',
  ];
  return { what, variant, row: lines, lock: resolved.lock, ...checked, notes };
}
