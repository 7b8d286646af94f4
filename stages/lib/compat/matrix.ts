// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compare } from '@renovatebot/pep440';
import { parseDocument } from 'yaml';
import { minorNumber } from '../pythons.js';
import { MATRIX_FILE } from './files.js';
import { readCompatFile } from './read.js';

const SCHEMA = 'compat-matrix';

/** `refused`: the plugin or its package says no, before anything can go wrong. */
export type Outcome = 'works' | 'fails' | 'refused';
/** From the best to the worst. */
const OUTCOMES: readonly string[] = ['works', 'refused', 'fails'] satisfies readonly Outcome[];

/** Versions that were run together, and what came of it. */
export interface MatrixRow {
  readonly device: string;
  /** Release of IREE's runtime in the wheel. */
  readonly runtime: string;
  readonly compiler: string;
  readonly jaxlib: string;
  /** Undefined where none was installed. */
  readonly jax?: string;
  /** Minor versions, lowest first. */
  readonly pythons: readonly string[];
  readonly result: Outcome;
  /** Why not, where it does not work. */
  readonly reason?: string;
}

/** compat/matrix.yaml. */
export interface CompatMatrix {
  /** Version of the plugin's packages that the rows were measured with. */
  readonly plugin: string;
  /** Of the smoke test that the rows were measured with. */
  readonly suite: string;
  readonly rows: readonly MatrixRow[];
}

/** What rows were measured with. */
export type MeasuredWith = Omit<CompatMatrix, 'rows'>;

/** The fields of a cell of dist/matrix/matrix.json that are read here. */
export interface MeasuredCell extends Omit<MatrixRow, 'pythons' | 'result' | 'jax'> {
  readonly flavour: string;
  /** File name of the wheel. */
  readonly wheel: string;
  /** Parts that are builds of a developer's own. */
  readonly local?: readonly string[];
  /** Empty where none was installed. */
  readonly jax: string;
  readonly python: string;
  /** One of `Outcome`, or that the cell was not run. */
  readonly result: string;
}

export function readMatrix(root: string): Promise<CompatMatrix> {
  return readCompatFile<CompatMatrix>(root, MATRIX_FILE, SCHEMA);
}

type Single = Omit<MatrixRow, 'pythons'> & { readonly python: string };

/**
 * `before` with the cells that were run in the place of what it says of their versions. Cells that were not run leave
 * what it says; rows of another version of the plugin, or of another smoke test, are not kept. Only what users install is recorded; of the same
 * versions on two kinds of machine, the worse. What a developer built is nobody else's.
 */
export function recordCells(
  before: CompatMatrix,
  { plugin, suite }: MeasuredWith,
  cells: readonly MeasuredCell[],
): CompatMatrix {
  const known = before.plugin === plugin && before.suite === suite ? singles(before) : [];
  const measured = cells
    .filter(({ flavour, wheel, local }) => flavour === 'release' && !isLocal(wheel) && local === undefined)
    .flatMap(singleOf)
    .sort((a, b) => OUTCOMES.indexOf(a.result) - OUTCOMES.indexOf(b.result));
  const byVersions = new Map([...known, ...measured].map((single) => [versionsOf(single), single]));
  return { plugin, suite, rows: grouped([...byVersions.values()].sort(inOrder)) };
}

/** By the local version label in its name. */
function isLocal(wheel: string): boolean {
  return wheel.split('-')[1]?.includes('+') ?? false;
}

function singleOf({ device, runtime, compiler, jaxlib, jax, python, result, reason }: MeasuredCell): Single[] {
  if (!isOutcome(result)) return [];
  // The rest of the reason advises what to do. It depends on this very file, so it is not written into it.
  const [sentence] = (reason ?? '').split(/(?<=\w)\.(?=\s|$)/);
  const versions = { device, runtime, compiler, jaxlib, ...(jax === '' ? {} : { jax }) };
  return [{ ...versions, python, result, ...(sentence ? { reason: sentence } : {}) }];
}

/** What differs, a line each; empty if both say the same. */
export function diffMatrices(before: CompatMatrix, after: CompatMatrix): string[] {
  const [old, now] = [before, after].map(
    (matrix) => new Map(singles(matrix).map((one) => [versionsOf(one), sayOf(one)])),
  );
  const heads = (['plugin', 'suite'] as const).flatMap((key) =>
    before[key] === after[key] ? [] : [`~ ${key}: ${before[key]} -> ${after[key]}`],
  );
  const rows = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].flatMap((key) => {
    const [was, is] = [old?.get(key), now?.get(key)];
    if (was === is) return [];
    if (was === undefined) return [`+ ${key}: ${is ?? ''}`];
    return is === undefined ? [`- ${key}: ${was}`] : [`~ ${key}: ${was} -> ${is}`];
  });
  return [...heads, ...rows];
}

/** The file with other rows in it; its comments stay. */
export async function renderMatrix(root: string, { plugin, suite, rows }: CompatMatrix): Promise<string> {
  const document = parseDocument(await readFile(path.join(root, MATRIX_FILE), 'utf8'));
  document.set('plugin', plugin);
  document.set('suite', suite);
  document.set('rows', document.createNode(rows, { aliasDuplicateObjects: false }));
  return document.toString({ lineWidth: 0, singleQuote: true });
}

function isOutcome(result: string): result is Outcome {
  return OUTCOMES.includes(result);
}

function singles({ rows }: CompatMatrix): Single[] {
  return rows.flatMap(({ pythons, ...row }) => pythons.map((python) => ({ ...row, python })));
}

function versionsOf({ device, runtime, compiler, jaxlib, python }: Single): string {
  return `${device}, IREE ${runtime}, compiler ${compiler}, jaxlib ${jaxlib}, Python ${python}`;
}

function sayOf({ result, jax, reason }: Single): string {
  return `${result}${jax === undefined ? '' : ` with jax ${jax}`}${reason === undefined ? '' : ` (${reason})`}`;
}

function inOrder(a: Single, b: Single): number {
  return (
    a.device.localeCompare(b.device, 'en') ||
    compare(a.runtime, b.runtime) ||
    compare(a.jaxlib, b.jaxlib) ||
    compare(a.compiler, b.compiler) ||
    minorNumber(a.python) - minorNumber(b.python)
  );
}

/** Rows in which Pythons with the same result share one row. */
function grouped(sorted: readonly Single[]): MatrixRow[] {
  const rows = new Map<string, MatrixRow & { pythons: string[] }>();
  for (const { python, result, reason, ...versions } of sorted) {
    const key = JSON.stringify([versions, result, reason]);
    const row = rows.get(key) ?? { ...versions, pythons: [], result, ...(reason === undefined ? {} : { reason }) };
    row.pythons.push(python);
    rows.set(key, row);
  }
  return [...rows.values()];
}
