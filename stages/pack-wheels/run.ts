// SPDX-License-Identifier: Apache-2.0
import { cp, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact, StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { PackagesArtifact, RenderedPackage, ToolsArtifact, Wheel, WheelsArtifact } from '../artifacts.js';
import { sha256File } from '../lib/hash.js';
import { checkTag, isForThisMachine, parseWheelName } from './tag.js';

export interface PackOptions {
  /** Bytes; a bigger wheel fails. */
  readonly maxBytes: number;
}

/** Packs each rendered package with hatchling and lets the field's own checkers read the result. */
export async function packWheels(context: StageContext<PackOptions>): Promise<WheelsArtifact> {
  const packages = context.artifact<PackagesArtifact>('render-packages');
  const wheels: Wheel[] = [];
  for (const entry of packages.value.packages) wheels.push(await packWheel(context, packages, entry));
  return { wheels };
}

async function packWheel(
  context: StageContext<PackOptions>,
  packages: Artifact<PackagesArtifact>,
  entry: RenderedPackage,
): Promise<Wheel> {
  context.progress(`pack ${entry.name}`);
  // A copy, because a build may leave files behind and artifacts of other stages are read-only.
  const source = path.join(context.tempDir, entry.name);
  await cp(path.join(packages.dir, entry.folder), source, { recursive: true });
  const packed = path.join(context.tempDir, 'wheels', entry.name);
  await runTool(context, ['python', '-m', 'hatchling', 'build', '-t', 'wheel', '-d', packed], source);

  const [file = ''] = await readdir(packed);
  const built = path.join(packed, file);
  const { size } = await stat(built);
  const { tag } = parseWheelName(file);
  if (isForThisMachine(tag)) {
    context.log(`${file} is for the machine that built it: neither maxBytes nor manylinux are asked of it`);
  } else if (size > context.options.maxBytes) {
    fail({
      kind: 'integrity',
      message: `${file} is bigger than allowed`,
      file,
      wanted: `at most ${context.options.maxBytes} bytes`,
      found: `${size} bytes`,
      help: 'raise `maxBytes` of pack-wheels in pipeline.yaml if that is meant',
    });
  }
  await check(context, built);
  await cp(built, path.join(context.outDir, file));
  return {
    name: entry.name,
    version: entry.version,
    platform: entry.platform,
    file,
    sha256: await sha256File(built),
    size,
    tag,
  };
}

async function check(context: StageContext, wheel: string): Promise<void> {
  context.progress(`check ${path.basename(wheel)}`);
  await runTool(context, ['twine', 'check', '--strict', wheel]);
  await runTool(context, ['check-wheel-contents', '--toplevel', 'iree,jax_plugins', wheel]);
  if (isForThisMachine(parseWheelName(path.basename(wheel)).tag)) return;
  const { stdout } = await runTool(context, ['auditwheel', 'show', wheel]);
  checkTag(path.basename(wheel), stdout);
}

function runTool(context: StageContext, [tool = '', ...args]: readonly string[], cwd?: string) {
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const bin = path.join(tools.dir, tools.value.bin);
  return context.exec(path.join(bin, tool), args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, PYTHONDONTWRITEBYTECODE: '1' },
  });
}
