// SPDX-License-Identifier: Apache-2.0
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { compare } from '@renovatebot/pep440';
import { fail, PipelineFailure } from '../engine/failure.js';
import { fetchCrate } from '../stages/lib/crate.js';
import { ireeVersion } from '../stages/lib/iree-tree.js';
import { pythonsWith } from '../stages/lib/pip.js';
import { findPythons } from '../stages/lib/pythons.js';
import type { Compat, IreeRow, JaxlibRow } from '../stages/lib/compat/rows.js';
import { makeEnvironment, pipOfTools, probeFile, type MeasureContext } from './context.js';

export const COMPILER = 'iree-base-compiler';
const CRATE = 'eerie-sys';
const PYTHONS = ['3.10', '3.11', '3.12', '3.13', '3.14', '3.15'];
/** Crate releases that are looked into before giving up; each is tens of megabytes. */
const MAX_CRATES = 12;

interface Artifacts {
  /** One file per operation and minor version at which its encoding changes. */
  readonly current: string;
  /** One per operation and minor version at which its encoding changes. */
  readonly files: readonly { readonly op: string; readonly minor: number; readonly file: string }[];
}

/** Which crate holds a release, and up to which StableHLO its compiler reads. */
export async function measureIree(version: string, context: MeasureContext, compat: Compat): Promise<IreeRow> {
  const pythons = await pythonsWith(pipOfTools(context), COMPILER, version, PYTHONS);
  const python = await makeEnvironment(context, pythons, [`${COMPILER}==${version}`]);
  const artifacts = await writeArtifacts(context, compat.jaxlib);
  const refused = await refusals(context, path.join(path.dirname(python), 'iree-opt'), artifacts);
  const runtime = await findCrate(version, context);
  return {
    version,
    ...(runtime ? { runtime } : {}),
    compiler: { package: COMPILER, version },
    stablehlo: newestRead(artifacts, refused),
    ...(refused.length === 0
      ? { note: `reads all that StableHLO ${artifacts.current} can write, maybe newer too` }
      : {}),
  };
}

/** Artifacts of the newest known jaxlib that a Python of this machine can run. */
async function writeArtifacts(context: MeasureContext, jaxlibs: readonly JaxlibRow[]): Promise<Artifacts> {
  const here = new Set((await findPythons(context)).map(({ minor }) => minor));
  const [writer] = jaxlibs
    .filter(({ pythons }) => pythons.some((python) => here.has(python)))
    .sort((a, b) => compare(b.version, a.version));
  if (!writer)
    return fail({
      kind: 'tool-missing',
      message: 'no Python here runs a known jaxlib',
      help: 'install Python 3.11 or newer',
    });
  context.log(`StableHLO artifacts are written by jaxlib ${writer.version}`);
  const python = await makeEnvironment(context, writer.pythons, [`jaxlib==${writer.version}`]);
  const folder = path.join(context.tempDir, 'artifacts');
  await mkdir(folder, { recursive: true });
  const { stdout } = await context.exec(python, [probeFile('stablehlo_probe.py'), folder], { echo: false });
  return JSON.parse(stdout) as Artifacts;
}

/** The minor versions whose artifacts the compiler cannot read. It only reads them: no pass runs. */
async function refusals(context: MeasureContext, ireeOpt: string, { files }: Artifacts): Promise<number[]> {
  const refused: number[] = [];
  for (const { op, minor, file } of files) {
    try {
      await context.exec(ireeOpt, [file, '-o', '/dev/null'], { echo: false });
    } catch (error) {
      if (!(error instanceof PipelineFailure) || error.failure.kind !== 'command') throw error;
      context.log(`${op} as of StableHLO 1.${minor} is refused: ${error.failure.tail[0] ?? ''}`);
      refused.push(minor);
    }
  }
  return refused;
}

export function newestRead({ current }: Pick<Artifacts, 'current'>, refused: readonly number[]): string {
  return refused.length === 0 ? current : `1.${Math.min(...refused) - 1}.0`;
}

/** Newest crate release that holds this IREE; they are looked through from the newest down. */
async function findCrate(version: string, context: MeasureContext): Promise<IreeRow['runtime'] | undefined> {
  let range = '*';
  for (let tries = 0; tries < MAX_CRATES; tries += 1) {
    const crate = await fetchCrate(context, CRATE, range).catch((error: unknown) => {
      if (error instanceof PipelineFailure && error.failure.kind === 'command') return undefined;
      throw error;
    });
    if (!crate) return undefined;
    const held = await ireeVersion(path.join(crate.folder, 'iree'));
    context.log(`${CRATE} ${crate.version} holds IREE ${held ?? '(unknown)'}`);
    if (held === version) return { crate: CRATE, crateVersion: crate.version };
    if (held !== undefined && compare(held, version) < 0) return undefined;
    range = `<${crate.version}`;
  }
  return undefined;
}
