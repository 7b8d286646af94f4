// SPDX-License-Identifier: Apache-2.0
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail, PipelineFailure } from '../../engine/failure.js';
import type { PublishedArtifact, SmokeArtifact, SmokeRun, ToolsArtifact, Wheel, WheelsArtifact } from '../artifacts.js';
import { familyOf, outputOf } from '../lib/client-failure.js';

/** `--set publish.rehearse=true` */
const REHEARSE = 'publish.rehearse';

export interface PublishOptions {
  /** A section of the user's .pypirc. */
  readonly repository: string;
}

/** Hands the wheels to twine, with the user's own settings; those that are not for others never leave the machine. */
export async function publishWheels(context: StageContext<PublishOptions>): Promise<PublishedArtifact> {
  const { value, dir } = context.artifact<WheelsArtifact>('pack-wheels');
  const { runs } = context.artifact<SmokeArtifact>('smoke-test').value;
  for (const wheel of value.wheels) checkPublishable(wheel, runs);
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const twine = path.join(tools.dir, tools.value.bin, 'twine');
  const files = value.wheels.map(({ file }) => path.join(dir, file));
  if (context.settings[REHEARSE] === 'true') return await rehearse(context, twine, files);
  const named = context.env['TWINE_REPOSITORY_URL'] ?? context.env['TWINE_REPOSITORY'];
  const where = named === undefined ? ['--repository', context.options.repository] : [];
  context.progress(`upload to ${named ?? context.options.repository}`);
  try {
    await context.exec(
      twine,
      ['upload', '--verbose', '--non-interactive', '--disable-progress-bar', ...where, ...files],
      {
        help: 'TWINE_USERNAME and TWINE_PASSWORD, or ~/.pypirc, hold what the index wants; see the log for its answer',
      },
    );
  } catch (error) {
    const output = outputOf(error);
    if (familyOf(output) !== 'network' || !(error instanceof PipelineFailure)) throw error;
    fail({
      kind: 'network',
      message: `could not upload to ${named ?? context.options.repository}`,
      detail: output.trim().split('\n').at(-1) ?? '',
      help: 'check the address, the connection and the proxy, then run again',
    });
  }
  return { files: value.wheels.map(({ file }) => file) };
}

/** All but the upload: the files as they would be handed over, for someone else to do it. */
async function rehearse(
  context: StageContext<PublishOptions>,
  twine: string,
  files: readonly string[],
): Promise<PublishedArtifact> {
  context.progress('rehearse');
  await context.exec(twine, ['check', '--strict', ...files]);
  await mkdir(path.join(context.outDir, 'upload'));
  for (const file of files) await copyFile(file, path.join(context.outDir, 'upload', path.basename(file)));
  return { files: [] };
}

/** A wheel with a local version label is for the machine that built it; one that was never run is for nobody. */
export function checkPublishable(wheel: Wheel, runs: readonly SmokeRun[]): void {
  const label = wheel.version.split('+')[1];
  if (label !== undefined) {
    fail({
      kind: 'usage',
      message: `${wheel.file} is not for publishing: its version ${wheel.version} has the local label '${label}'`,
      help: 'publish the release flavour: --variant flavour=release',
    });
  }
  if (!runs.some((run) => run.wheel === wheel.file)) {
    fail({
      kind: 'usage',
      message: `${wheel.file} was built and never run, so that it is not published`,
      help: 'name a Python that can run it in PIPELINE_PYTHONS',
    });
  }
}
