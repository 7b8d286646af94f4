// SPDX-License-Identifier: Apache-2.0
/** What is known of a set of installed versions, by what was measured and by what the plugin claims. */
import { compare, satisfies, valid } from '@renovatebot/pep440';
import type { MatrixRow } from '../../stages/lib/compat/matrix.js';
import { releaseOf } from '../../stages/lib/release-of.js';

const COMPILER = 'iree-base-compiler';

export type Verdict = 'works' | 'fails' | 'unknown';

/** A package in an environment: its version, or why it cannot be known; undefined: not installed. */
export type Found = { readonly version: string } | { readonly error: string } | undefined;

/** What is in an environment besides plugins. */
export interface Installed {
  /** Full version. */
  readonly python: string;
  readonly jax: Found;
  readonly jaxlib: Found;
  readonly compiler: Found;
  /**
   * The library of another compiler, named by IREE_PJRT_COMPILER_LIB_PATH; the plugin takes it whatever its version.
   */
  readonly compilerLibrary?: string | undefined;
}

/** One build of the plugin. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly device: string;
  readonly flavour: string;
  /** Release of IREE's runtime in it. */
  readonly runtime: string;
  /** PEP 440 ranges that it claims to work with. */
  readonly supports: { readonly python: string; readonly jaxlib: string; readonly compiler: string };
}

export interface Judgement {
  readonly verdict: Verdict;
  /** The reasons for the verdict, a sentence each. */
  readonly reasons: readonly string[];
  /** The working set that is the least change; undefined if the verdict is `works`, or no set was measured. */
  readonly nearest?: WorkingSet;
}

export type WorkingSet = Required<Pick<MatrixRow, 'jax' | 'jaxlib' | 'compiler'>>;

/** `rows`: what was measured with this version of the plugin. */
export function judge(installed: Installed, plugin: Plugin, rows: readonly MatrixRow[]): Judgement {
  const measured = rows.filter((row) => row.device === plugin.device && same(row.runtime, plugin.runtime));
  const refusals = refusalsOf(installed, plugin);
  const found = refusals.length > 0 ? { verdict: 'fails' as const, reasons: refusals } : lookUp(installed, measured);
  const nearest = found.verdict === 'works' ? undefined : nearestSet(installed, measured);
  return { ...found, ...(nearest === undefined ? {} : { nearest }) };
}

/** The versions that the plugin itself, or pip, refuses, a sentence each. */
function refusalsOf(installed: Installed, { supports, name, version }: Plugin): string[] {
  const wishes: readonly (readonly [string, Found, string])[] = [
    ['Python', { version: installed.python }, supports.python],
    ['jax', installed.jax, supports.jaxlib],
    ['jaxlib', installed.jaxlib, supports.jaxlib],
    ...(installed.compilerLibrary === undefined ? [[COMPILER, installed.compiler, supports.compiler] as const] : []),
  ];
  return wishes.flatMap(([what, found, range]) => {
    if (found === undefined) return [`${what} is not installed; ${name} ${version} needs ${what}${range}`];
    if ('error' in found) return [`${what}: ${found.error}`];
    if (satisfies(found.version, range, { prereleases: true })) return [];
    return [`${what} ${found.version} is installed; ${name} ${version} works with ${what}${range}`];
  });
}

/** The versions are all there, and in the plugin's range. */
function lookUp(installed: Installed, measured: readonly MatrixRow[]): Pick<Judgement, 'verdict' | 'reasons'> {
  if (installed.compilerLibrary !== undefined) {
    const reason = `IREE_PJRT_COMPILER_LIB_PATH names ${installed.compilerLibrary}, whose version is not known`;
    return { verdict: 'unknown', reasons: [reason] };
  }
  const [jax, jaxlib, compiler] = [installed.jax, installed.jaxlib, installed.compiler].map(
    (found) => versionOf(found) ?? '',
  );
  const set = `jaxlib ${jaxlib} with ${COMPILER} ${compiler}`;
  const python = `Python ${minorOf(installed.python)}`;
  const alike = measured.filter((row) => same(row.jaxlib, jaxlib) && same(row.compiler, compiler));
  const row = alike.find(({ pythons }) => pythons.includes(minorOf(installed.python)));
  if (!row) {
    const others = alike.filter(({ result }) => result === 'works').flatMap(({ pythons }) => pythons);
    const but = others.length === 0 ? '' : `; it works on Python ${others.join(', ')}`;
    return { verdict: 'unknown', reasons: [`${set} was not run on ${python}${but}`] };
  }
  if (row.result !== 'works') {
    const why = row.reason === undefined ? '' : `: ${row.reason}`;
    return {
      verdict: 'fails',
      reasons: [`${set} ${row.result === 'refused' ? 'is refused' : 'failed'} on ${python}${why}`],
    };
  }
  if (!same(row.jax, jax)) {
    return {
      verdict: 'unknown',
      reasons: [`jaxlib ${jaxlib} was run with jax ${row.jax ?? '(none)'}, not with jax ${jax}`],
    };
  }
  return { verdict: 'works', reasons: [`${set} passed the smoke test on ${python}`] };
}

/**
 * The nearest of the sets that work on this Python. Its jaxlib is the newest of the installed release (0.10), else the
 * newest older one, else the oldest newer one; its compiler is the installed one, else the newest. The wheel's
 * `setup/_measured.py` goes by the same rule: tests/nearest.json beside it holds both to it.
 */
export function nearestSet(installed: Omit<Installed, 'jax'>, rows: readonly MatrixRow[]): WorkingSet | undefined {
  const usable = rows
    .filter(({ result, pythons }) => result === 'works' && pythons.includes(minorOf(installed.python)))
    .flatMap(({ jax, jaxlib, compiler }) => (jax === undefined ? [] : [{ jax, jaxlib, compiler }]))
    .sort((a, b) => compare(b.jaxlib, a.jaxlib) || compare(b.compiler, a.compiler));
  const wished = versionOf(installed.jaxlib) ?? usable[0]?.jaxlib;
  if (wished === undefined) return undefined;
  const nearest =
    usable.find((row) => minorOf(row.jaxlib) === minorOf(wished)) ??
    usable.find((row) => compare(row.jaxlib, wished) < 0) ??
    usable.at(-1);
  const choices = usable.filter((row) => row.jaxlib === nearest?.jaxlib);
  return choices.find((row) => same(row.compiler, versionOf(installed.compiler))) ?? choices[0];
}

function versionOf(found: Found): string | undefined {
  return found !== undefined && 'version' in found ? found.version : undefined;
}

/** `0.10` of `0.10.2`. */
export function minorOf(version: string): string {
  return /^\d+\.\d+/.exec(version)?.[0] ?? version;
}

/** Whether PEP 440 takes two versions for one, without their local labels. */
export function same(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || valid(a) === null || valid(b) === null) return false;
  return compare(publicPart(a), publicPart(b)) === 0;
}

/** Whether a plugin is of this version of the project: `0.1.0`, or that and its IREE release line, `0.1.0.3.13`. */
export function isOf({ version, runtime }: Plugin, project: string): boolean {
  return same(version, project) || same(version, `${project}.${releaseOf(runtime)}`);
}

function publicPart(version: string): string {
  return version.replace(/\+.*$/, '');
}
