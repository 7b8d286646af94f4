// SPDX-License-Identifier: Apache-2.0
import { fail } from '../../engine/failure.js';
import { loadCompat } from '../../stages/lib/compat/rows.js';
import { releaseOf } from '../../stages/lib/release-of.js';
import { openProject } from '../context.js';
import { addLine, allow } from './edit-config.js';
import { works, type Report } from './report.js';
import { speedOf } from './speed.js';
import { checkIn, rowIn, resolveIn, type Trial } from './trial.js';

type Findings = Omit<Report, 'files'>;

/** Adds a release line of IREE to those of the axis `iree`; without such an axis, it replaces the one there is. */
export async function upgradeIree(trial: Trial, version: string): Promise<Findings> {
  const { workspace, context } = trial;
  const { row, lines } = await rowIn(trial, 'iree', version);
  if (row['runtime'] === undefined) await failWithoutRuntime(workspace.root, version, String(row['stablehlo']));
  const line = releaseOf(version);
  workspace.write('pipeline.yaml', addLine(allow(workspace.read('pipeline.yaml'), 'iree', version), line));
  const { config } = await openProject(context);
  const variant = config.variants.find(
    ({ axes }) =>
      (axes['iree'] ?? line) === line &&
      (axes['device'] ?? 'cpu') === 'cpu' &&
      (axes['flavour'] ?? 'release') === 'release' &&
      (axes['arch'] ?? 'x86_64') === 'x86_64',
  );
  if (!variant) {
    return fail({
      kind: 'usage',
      message: `no variant of pipeline.yaml is a release for CPUs of IREE ${line}`,
      help: 'variants.exclude in pipeline.yaml leaves it out',
    });
  }
  const what = `IREE ${version}`;
  const resolved = await resolveIn(trial);
  if (!works(resolved)) return { what, row: lines, ...resolved, compile: [], refused: [], notes: [] };
  const checked = await checkIn(trial, variant.id);
  const speed = works(checked) ? await speedOf(trial, config.variants, variant) : undefined;
  const next = `which rewrites it does not need: npx pipeline run obsolete-rewrites --variant ${variant.id}`;
  const port = 'what differs between releases lies in native/src/release (docs/iree-releases.md)';
  const notes = [checked.compile.length > 0 ? port : next];
  return {
    ...{ what, variant: variant.id, row: lines, lock: resolved.lock, ...checked, notes },
    ...(speed === undefined ? {} : { speed }),
  };
}

async function failWithoutRuntime(root: string, version: string, stablehlo: string): Promise<never> {
  const { iree } = await loadCompat(root);
  const whole = iree.filter(({ runtime }) => runtime !== undefined).map((row) => row.version);
  return fail({
    kind: 'resolution',
    message: `IREE ${version} has a compiler (StableHLO ${stablehlo}), but no registry holds the sources of its runtime`,
    detail: `releases that have both: ${whole.join(', ')}`,
    help: 'a checkout of that release can be built: sources.iree in pipeline.yaml',
  });
}
