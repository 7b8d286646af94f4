// SPDX-License-Identifier: Apache-2.0
import { fail } from '../../engine/failure.js';
import { suggest } from '../../engine/base/nearest.js';
import { ROW_KINDS, measureRow, writeMeasurement, type Measurement } from '../../measuring/row.js';
import { type CommandContext, openProject, print } from '../context.js';
import type { Options } from '../options.js';
import { makeTools, measuring } from './measuring.js';

/** Measures one row of compat/ for real, shows what it says and how the file differs, and writes it if told to. */
export async function run(
  context: CommandContext,
  [kind = '', version = '']: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const known = ROW_KINDS.find((name) => name === kind);
  if (!known) {
    fail({ kind: 'usage', message: `'${kind}' is no kind of row`, help: suggest(kind, ROW_KINDS, 'kinds') ?? '' });
  }
  const project = await openProject(context);
  const exitCode = await makeTools(context, project);
  if (exitCode !== 0) return exitCode;
  const repository = options.text('jaxRepository');
  const more = repository === undefined ? {} : { jaxRepository: repository };
  const measurement = await measuring(context, project, more, (measure) => measureRow(known, version, measure));
  show(context, measurement);
  if (options.flag('write') && measurement.diff.length > 0) {
    await writeMeasurement(project.root, measurement);
    print(context, `written to ${measurement.file}; read it before you commit it`);
  }
  return 0;
}

function show(context: CommandContext, { kind, file, row, diff }: Measurement): void {
  const lines = Object.entries(row).map(([key, value]) => {
    return `  ${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const difference = diff.length === 0 ? [`${file} says the same`] : [`${file} differs:`, ...diff.map((d) => `  ${d}`)];
  print(context, [`${kind}:`, ...lines, ...difference]);
}
