// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageContext } from '../../../engine/api.js';
import { PipelineFailure } from '../../../engine/failure.js';
import type { FoundPython, ToolsArtifact } from '../../artifacts.js';
import { findPythons, hostMachine, machineOf, probePython } from '../pythons.js';

/**
 * A Python of one minor version: of those on the machine, else one that uv has already or, if `download` says so, can
 * fetch.
 */
export async function locatePython(context: StageContext, minor: string, download: boolean): Promise<FoundPython> {
  const machine = machineOf(context);
  const found = (await findPythons(context, machine)).find((python) => python.minor === minor);
  if (found) return { python: minor, path: found.path, version: found.version };
  const file = machine === hostMachine() ? await askUv(context, minor, download) : undefined;
  const probed = file === undefined ? undefined : await probePython(context, file);
  return probed?.minor === minor ? { python: minor, path: probed.path, version: probed.version } : { python: minor };
}

async function askUv(context: StageContext, minor: string, download: boolean): Promise<string | undefined> {
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const uv = path.join(tools.dir, tools.value.bin, 'uv');
  try {
    if (download) await context.exec(uv, ['python', 'install', '--quiet', minor], { echo: false });
    const args = ['python', 'find', '--quiet', '--no-project', '--managed-python', '--no-python-downloads', minor];
    const { stdout } = await context.exec(uv, args, { cwd: context.tempDir, echo: false });
    return stdout.trim();
  } catch (error) {
    if (!(error instanceof PipelineFailure) || error.failure.kind === 'cancelled') throw error;
    return undefined;
  }
}
