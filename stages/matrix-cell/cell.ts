// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { InputContext, StageInputs } from '../../engine/api.js';
import type { Wheel, WheelsArtifact } from '../artifacts.js';
import { channelOf } from '../lib/channels.js';
import { localBuildsOf } from '../lib/local/builds.js';
import { filesOf } from '../lib/local/files.js';
import { loadGrid, pointOf, type GridCell } from '../lib/matrix/grid.js';
import { SUITE_FILES, SUITE_FOLDER } from '../lib/testing/suite-files.js';
import type { LocalBuilds } from '../lib/local/types.js';

export interface CellOptions {
  readonly silenceSeconds: number;
  readonly channel?: string;
}

/** The versions of one cell, and what is known of them. */
export interface Cell extends GridCell {
  readonly compilerPackage: string;
  /** Of its builds of the developer's own. */
  readonly builds?: LocalBuilds;
}

export async function cellOf({
  variant,
  ...context
}: Pick<InputContext, 'root' | 'config' | 'settings' | 'variant'>): Promise<Cell> {
  const { cells, compilerPackage } = await loadGrid(context, variant);
  const found = cells.find(
    (cell) => cell.runs && Object.entries(pointOf(cell)).every(([axis, value]) => variant.axes[axis] === value),
  );
  if (!found) throw new Error(`the grid has no cell ${variant.id}`);
  return { ...found, compilerPackage, ...(await buildsFor(context, found)) };
}

async function buildsFor(
  context: Pick<InputContext, 'root' | 'config' | 'settings'>,
  { local }: GridCell,
): Promise<Pick<Cell, 'builds'>> {
  const all = local && (await localBuildsOf(context));
  if (!all) return {};
  const { compiler, jaxlib, jax } = all;
  return {
    builds: {
      ...(compiler && local.includes('compiler') ? { compiler } : {}),
      ...(local.includes('jaxlib') ? { ...(jaxlib ? { jaxlib } : {}), ...(jax ? { jax } : {}) } : {}),
    },
  };
}

/** The inputs hold the cell's own versions, not the whole grid: a new row of compat/ renews no other cell. */
export async function cellInputs(context: InputContext<CellOptions>): Promise<StageInputs> {
  const { builds, ...cell } = await cellOf(context);
  return {
    files: [...(await context.glob(SUITE_FOLDER, SUITE_FILES)), ...filesOf(builds)],
    values: {
      cell: { ...cell },
      channel: channelOf(context).name,
      // Most of the suite needs a GPU: another machine may know more than one without.
      ...(context.variant.axes['device'] === 'cuda' ? { gpu: existsSync('/dev/nvidiactl') } : {}),
    },
  };
}

export interface WheelFile extends Wheel {
  /** Absolute. */
  readonly path: string;
}

/** The one wheel of the variant. */
export function wheelOf(context: InputContext): WheelFile {
  const { value, dir } = context.artifact<WheelsArtifact>('pack-wheels');
  const [wheel, ...others] = value.wheels;
  if (!wheel || others.length > 0) {
    throw new Error(`${context.variant.id}: a cell tries one wheel, and there are ${value.wheels.length}`);
  }
  return { ...wheel, path: path.join(dir, wheel.file) };
}
