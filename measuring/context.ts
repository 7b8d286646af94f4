// SPDX-License-Identifier: Apache-2.0
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact, StageContext } from '../engine/api.js';
import { fail } from '../engine/failure.js';
import type { ToolsArtifact } from '../stages/artifacts.js';
import { channelArgs, STABLE, type Channel } from '../stages/lib/channels.js';
import { clientFailure } from '../stages/lib/client-failure.js';
import type { PipClient } from '../stages/lib/pip.js';
import { findPythons } from '../stages/lib/pythons.js';
import { uvEnvironment } from '../stages/lib/uv-settings.js';

export type RowKind = 'jaxlib' | 'iree' | 'pjrt-headers';

/** What a measurement needs; a command makes it with `measureContext`. */
export interface MeasureContext extends Pick<StageContext, 'root' | 'exec' | 'tempDir' | 'signal' | 'log' | 'env'> {
  /** Absolute paths in the tools environment. */
  readonly tools: { readonly python: string; readonly uv: string; readonly zig: string };
  readonly channel: Channel;
  /** A clone of the jax repository: its tags name the XLA commits. */
  readonly jaxRepository?: string;
}

export function measureContext(
  context: Pick<StageContext, 'root' | 'exec' | 'tempDir' | 'signal' | 'log' | 'env'>,
  tools: Pick<Artifact<ToolsArtifact>, 'dir' | 'value'>,
  more: { readonly channel?: Channel; readonly jaxRepository?: string } = {},
): MeasureContext {
  const { python, bin, zig } = tools.value;
  const inTools = (file: string): string => path.join(tools.dir, file);
  return {
    ...context,
    tools: { python: inTools(python), uv: inTools(path.join(bin, 'uv')), zig: inTools(zig) },
    channel: STABLE,
    ...more,
  };
}

export function pipOfTools(context: MeasureContext): PipClient {
  const { exec, tempDir, signal, log, tools, channel } = context;
  return { exec, tempDir, signal, log, python: tools.python, channel };
}

/** A fresh environment with `requirements`, on the lowest Python of `pythons` that this machine has. */
export async function makeEnvironment(
  context: MeasureContext,
  pythons: readonly string[],
  requirements: readonly string[],
): Promise<string> {
  const { tools, channel } = context;
  const found = (await findPythons(context)).find(({ minor }) => pythons.includes(minor));
  if (!found) {
    fail({
      kind: 'tool-missing',
      message: `${requirements.join(' ')} wants one of the Pythons ${pythons.join(', ')}, and none was found`,
      help: 'install one, or name it in PIPELINE_PYTHONS',
    });
  }
  const folder = await mkdtemp(path.join(context.tempDir, 'env-'));
  const python = path.join(folder, 'bin', 'python');
  const env = await uvEnvironment(context, tools.python);
  try {
    await context.exec(tools.uv, ['venv', '--quiet', '--allow-existing', '--python', found.path, folder], { env });
    const install = ['pip', 'install', '--python', python, ...channelArgs(channel, 'uv'), ...requirements];
    await context.exec(tools.uv, install, { env });
  } catch (error) {
    throw clientFailure(error, requirements.join(' '));
  }
  return python;
}

/** A file in `probes/`. */
export function probeFile(name: string): string {
  return path.join(import.meta.dirname, 'probes', name);
}
