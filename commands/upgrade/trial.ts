// SPDX-License-Identifier: Apache-2.0
/** The steps of an upgrade's trial, each in the copy of the project. */
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { compare } from '@renovatebot/pep440';
import type { Lock } from '../../stages/artifacts.js';
import { COMPAT_FILES } from '../../stages/lib/compat/files.js';
import { loadCompat } from '../../stages/lib/compat/rows.js';
import { diffLocks } from '../../stages/resolve-versions/lock.js';
import { measureRow, pipOfTools, type RowKind, writeMeasurement } from '../../measuring/row.js';
import { newReleases } from '../../measuring/releases.js';
import { measuring } from '../compat/measuring.js';
import { type CommandContext, openProject } from '../context.js';
import { pythonsOf } from '../resolve.js';
import { type Exec, runStages, type StageEnd } from './children.js';
import { groupErrors } from './compile-errors.js';
import { refusals, rewritesIn } from './refusals.js';
import type { Report } from './report.js';
import type { Workspace } from './workspace.js';

const LOCK = 'pipeline.lock.yaml';

export interface Trial {
  /** Its folder is the copy of the project. */
  readonly context: CommandContext;
  readonly exec: Exec;
  readonly workspace: Workspace;
}

/** The newest release that the registry has, or that compat/ knows. */
export async function newestOf(trial: Trial, kind: 'iree' | 'jaxlib'): Promise<string> {
  const project = await openProject(trial.context);
  return await measuring(trial.context, project, {}, async (measure) => {
    const compat = await loadCompat(project.root);
    const found = await newReleases(pipOfTools(measure), compat, pythonsOf(project));
    const versions = [...found.filter((release) => release.kind === kind), ...compat[kind]].map(
      ({ version }) => version,
    );
    return versions.sort(compare).at(-1) ?? '';
  });
}

/**
 * The row of compat/ for a release, a line each. A release without a row is measured, and its row is written into the
 * copy.
 */
export async function rowIn(
  { context }: Trial,
  kind: RowKind,
  version: string,
): Promise<{ readonly row: Readonly<Record<string, unknown>>; readonly lines: readonly string[] }> {
  const project = await openProject(context);
  const compat = await loadCompat(project.root);
  const rows = { iree: compat.iree, jaxlib: compat.jaxlib, 'pjrt-headers': compat.headers.rows }[kind];
  const known = rows.find((row) => row.version === version);
  if (known) return { row: { ...known }, lines: [`${COMPAT_FILES[FILE_KEYS[kind]]} has its row`] };
  const measurement = await measuring(context, project, {}, (measure) => measureRow(kind, version, measure));
  await writeMeasurement(project.root, measurement);
  return { row: measurement.row, lines: measurement.diff };
}

const FILE_KEYS = { iree: 'iree', jaxlib: 'jaxlib', 'pjrt-headers': 'headers' } as const;

/** Resolves anew in the copy. Gives the differences of the lock, and how the stages ended. */
export async function resolveIn(trial: Trial): Promise<Pick<Report, 'lock' | 'stages'>> {
  const { workspace, exec, context } = trial;
  const before = parse(workspace.read(LOCK)) as Lock;
  const stages = await runStages(exec, context, workspace.root, ['--only', 'resolve-versions', '--set', 'update=true']);
  return {
    lock: diffLocks(before, parse(workspace.read(LOCK)) as Lock),
    stages: stages.filter(({ result }) => result !== 'ok'),
  };
}

/** Builds and runs all tests of a variant. If the library does not compile, every file that does not is looked for. */
export async function checkIn(trial: Trial, variant: string): Promise<Pick<Report, 'stages' | 'compile' | 'refused'>> {
  const { workspace, exec, context } = trial;
  const check = ['check', '--variant', variant];
  const stages = await runStages(exec, context, workspace.root, check);
  const build = stages.find(({ node, result }) => node.startsWith('build-native') && result === 'failed');
  const again =
    build?.failure?.kind === 'command'
      ? await runStages(exec, context, workspace.root, [
          ...check,
          ...['--only', 'build-native', '--set', 'build-native.keep-going=true'],
        ])
      : [];
  // `conformance` does not fail by its tests: what they said is in its report.
  const junit = path.join(workspace.root, 'dist', 'report', `conformance-${variant}.xml`);
  const texts = [...logsOf(stages), ...(fs.existsSync(junit) ? [fs.readFileSync(junit, 'utf8')] : [])];
  return {
    stages,
    compile: groupErrors(logsOf(again).join('\n'), workspace.root),
    refused: refusals(texts, stages, rewritesIn(workspace.root)),
  };
}

function logsOf(stages: readonly StageEnd[]): string[] {
  return stages.flatMap(({ log }) => (log === undefined ? [] : [log]));
}
