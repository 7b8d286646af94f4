// SPDX-License-Identifier: Apache-2.0
/**
 * Which sets of versions the matrix asks about, and what is known of each before it is run. Read from `compat/`, the
 * lock and pipeline.yaml only, so that the plan is the same on every machine.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compare, satisfies } from '@renovatebot/pep440';
import { parse } from 'yaml';
import type { InputContext, Point, Variant } from '../../../engine/api.js';
import { fail } from '../../../engine/failure.js';
import type { Lock, LockedIree } from '../../artifacts.js';
import { loadCompat, type Compat, type JaxlibRow } from '../compat/rows.js';
import { supportsOf, type Supports } from '../compat/supports.js';
import { localBuildsOf } from '../local/builds.js';
import { servesMinor } from '../local/install.js';
import { resolvedIree } from '../locked-iree.js';
import { minorNumber } from '../pythons.js';
import { releaseOf } from '../release-of.js';
import type { LocalBuilds, LocalPart } from '../local/types.js';

/** The axes of the matrix, `matrix` of pipeline.yaml; the schema has filled in its defaults. */
export interface MatrixAxes {
  /** `minors`: the newest patch of each, and the oldest that is claimed. `all`: every row of compat/jaxlib.yaml. */
  readonly jaxlib: 'minors' | 'all';
  /** Releases that have no row in compat/: one wheel does not serve them. */
  readonly refused: readonly string[];
  readonly pythons: readonly string[];
  /** PEP 440 range of the releases in compat/iree.yaml. */
  readonly compilers: string;
}

/**
 * Why a set of versions cannot work:
 * - `requires-python`: the wheel is not for this Python.
 * - `no-jaxlib`: the registry has no such jaxlib for this Python.
 * - `compiler-release`: the compiler is not of the release of the runtime in the wheel.
 * - `no-wheel`: of a build of the developer's own there is no wheel for this Python.
 * - `refused-jaxlib`: the jaxlib is older than what any wheel serves.
 */
export type Barrier = 'requires-python' | 'no-jaxlib' | 'compiler-release' | 'no-wheel' | 'refused-jaxlib';

export interface GridCell {
  readonly jaxlib: string;
  /** `major.minor`. */
  readonly python: string;
  readonly compiler: string;
  /** Which of them are builds of the developer's own; absent where none is. */
  readonly local?: readonly LocalPart[];
  /** Whether `supports` of pipeline.yaml, and the compilers of the wheel's runtime, hold it. */
  readonly claimed: boolean;
  readonly barrier?: Barrier;
  /** Whether it is run: every set that may work is, of the others one of each kind, to prove the refusal. */
  readonly runs: boolean;
}

export interface Grid {
  /** IREE release of the runtime in the wheel: of the lock, or that of a compiler of the developer's own. */
  readonly runtime: string;
  /** Distribution of the compiler. */
  readonly compilerPackage: string;
  readonly cells: readonly GridCell[];
}

/** What a grid is made from. */
export interface GridSources {
  readonly axes: MatrixAxes;
  readonly supports: Supports;
  readonly compat: Pick<Compat, 'jaxlib' | 'iree'>;
  readonly iree: Pick<LockedIree, 'runtime' | 'compiler'>;
  readonly local?: LocalBuilds | undefined;
  /** Whether there are wheels of `local` for a Python. */
  readonly localServes?: (python: string) => boolean;
}

const LOCK_FILE = 'pipeline.lock.yaml';

/** The grid of a variant's wheel. */
export async function loadGrid(
  context: Pick<InputContext, 'root' | 'config' | 'settings'>,
  variant: Variant,
): Promise<Grid> {
  const { root, config } = context;
  const text = await readFile(path.join(root, LOCK_FILE), 'utf8').catch(() => undefined);
  if (text === undefined) {
    fail({
      kind: 'lock',
      message: `the matrix asks about the runtime of ${LOCK_FILE}, which is not there`,
      help: 'npx pipeline resolve writes it',
    });
  }
  const local = await localBuildsOf(context);
  return gridOf({
    axes: config.sections['matrix'] as unknown as MatrixAxes,
    supports: supportsOf(config),
    compat: await loadCompat(root),
    iree: resolvedIree({ lock: parse(text) as Lock, compiler: local?.compiler }, variant),
    local,
    localServes: (python) => local === undefined || servesMinor({ variant }, local, python),
  });
}

/** The values of a cell's axes. A build of the developer's own may have the version of a release. */
export function pointOf({ jaxlib, python, compiler, local = [] }: Omit<GridCell, 'runs' | 'claimed'>): Point {
  const named = (part: LocalPart, version: string): string => (local.includes(part) ? `${version}-local` : version);
  return { jaxlib: named('jaxlib', jaxlib), python, compiler: named('compiler', compiler) };
}

export function gridOf(from: GridSources): Grid {
  const { axes, iree, local } = from;
  const runtime = local?.compiler?.version ?? iree.runtime.version;
  const compilers = compilersOf(from);
  const pythons = [...axes.pythons].sort((a, b) => minorNumber(a) - minorNumber(b));
  const released = [...[...axes.refused].sort(compare), ...jaxlibsOf(from)];
  const jaxlibs = [
    ...released.map((version) => ({ version, own: false })),
    ...(local?.jaxlib ? [{ version: local.jaxlib.version, own: true }] : []),
  ];
  const cells = jaxlibs.flatMap((jaxlib) =>
    pythons.flatMap((python) => compilers.map((compiler) => cellOf(from, runtime, jaxlib, python, compiler))),
  );
  const proofs = proofsOf(cells, iree.compiler.version);
  return {
    runtime,
    compilerPackage: iree.compiler.package,
    cells: cells.map((cell) => ({ ...cell, runs: cell.barrier === undefined || proofs.has(cell) })),
  };
}

function cellOf(
  from: GridSources,
  runtime: string,
  { version: jaxlib, own }: { readonly version: string; readonly own: boolean },
  python: string,
  compiler: string,
): Known {
  const ownCompiler = compiler === from.local?.compiler?.version;
  const local: LocalPart[] = [...(own ? (['jaxlib'] as const) : []), ...(ownCompiler ? (['compiler'] as const) : [])];
  const barrier = barrierOf(from, runtime, { jaxlib, python, compiler, local });
  return {
    jaxlib,
    python,
    compiler,
    ...(local.length === 0 ? {} : { local }),
    claimed: barrier === undefined && isIn(jaxlib, from.supports.jaxlib),
    ...(barrier === undefined ? {} : { barrier }),
  };
}

/** Of the release line of the developer's own there is no other: the wheel is there for that. */
function compilersOf({ axes, compat, iree, local }: GridSources): readonly string[] {
  const known = compat.iree
    .map(({ compiler }) => compiler.version)
    .filter((version) => isIn(version, axes.compilers))
    .filter((version) => local?.compiler === undefined || releaseOf(version) !== releaseOf(iree.compiler.version));
  return [...new Set([...known, iree.compiler.version])].sort(compare);
}

function jaxlibsOf({ axes, compat, supports }: GridSources): readonly string[] {
  const versions = compat.jaxlib.map(({ version }) => version).sort(compare);
  if (axes.jaxlib === 'all') return versions;
  const newest = new Map(versions.map((version) => [releaseOf(version), version]));
  const oldest = versions.find((version) => isIn(version, supports.jaxlib));
  return versions.filter((version) => version === oldest || newest.get(releaseOf(version)) === version);
}

function barrierOf(
  { compat, supports, localServes }: GridSources,
  runtime: string,
  { jaxlib, python, compiler, local }: Required<Pick<GridCell, 'jaxlib' | 'python' | 'compiler' | 'local'>>,
): Barrier | undefined {
  const row: JaxlibRow | undefined = compat.jaxlib.find(({ version }) => compare(version, jaxlib) === 0);
  const own = local.includes('jaxlib');
  if (!isIn(`${python}.0`, supports.python)) return 'requires-python';
  if (!own && row && !row.pythons.includes(python)) return 'no-jaxlib';
  if (releaseOf(compiler) !== releaseOf(runtime)) return 'compiler-release';
  if (local.length > 0 && localServes?.(python) === false) return 'no-wheel';
  return own || row ? undefined : 'refused-jaxlib';
}

type Known = Omit<GridCell, 'runs'>;

/** One cell for each kind of refusal: a compiler's with the newest release of jaxlib, a jaxlib's with the compiler that fits. */
function proofsOf(cells: readonly Known[], locked: string): ReadonlySet<Known> {
  const kinds = new Map<string, Known>();
  for (const cell of cells) {
    const fits = cell.compiler === locked;
    if (cell.barrier === 'no-wheel' || cell.local?.includes('jaxlib')) continue;
    if (cell.barrier === 'compiler-release') {
      const kind = `${cell.barrier} ${cell.compiler}`;
      if ((kinds.get(kind) ?? cell).python === cell.python) kinds.set(kind, cell);
    } else if (cell.barrier !== undefined && fits) {
      const kind = cell.barrier === 'refused-jaxlib' ? `${cell.barrier} ${cell.jaxlib}` : cell.barrier;
      if (!kinds.has(kind)) kinds.set(kind, cell);
    }
  }
  return new Set(kinds.values());
}

function isIn(version: string, range: string): boolean {
  return satisfies(version, range, { prereleases: true });
}
