// SPDX-License-Identifier: Apache-2.0
import { COMPAT_FILES } from './files.js';
import { readCompatFile } from './read.js';

/** What no registry says; each file states where its columns come from. */
export interface Compat {
  readonly jaxlib: readonly JaxlibRow[];
  readonly iree: readonly IreeRow[];
  readonly headers: HeaderFile;
  readonly cudaHeaders: HeaderSource;
  readonly tracy: TracySource;
  readonly googletest: CrateSource;
  readonly ducc: DuccSource;
}

export interface JaxlibRow {
  readonly version: string;
  /** Commit of openxla/xla, or `unknown` with the reason in `note`. */
  readonly xlaCommit: string;
  /** Commit of jax that the wheel says it was built from. */
  readonly jaxCommit?: string;
  readonly pjrtApi: string;
  readonly stablehlo: string;
  readonly stablehloMinimum: string;
  /** Pythons that the registry has a wheel for. */
  readonly pythons: readonly string[];
  readonly note?: string;
}

export interface IreeRow {
  readonly version: string;
  /** Undefined if no crate holds the sources of this release. */
  readonly runtime?: { readonly crate: string; readonly crateVersion: string };
  readonly compiler: { readonly package: string; readonly version: string };
  readonly stablehlo: string;
  readonly note?: string;
}

/** Headers inside a wheel of one version. */
export interface HeaderSource {
  readonly package: string;
  readonly version: string;
  readonly includeRoot: string;
  /** Members that are fetched. */
  readonly members: readonly string[];
}

/** A crate that carries sources of something else. */
export interface CrateSource {
  readonly crate: string;
  readonly crateVersion: string;
  /** Release of what it carries. */
  readonly version: string;
}

/** Sources of Tracy's client. */
export interface TracySource extends CrateSource {
  readonly protocol: number;
}

/** Sources of DUCC: a source distribution. */
export interface DuccSource {
  readonly package: string;
  readonly version: string;
  /** SPDX expression that each file states that is taken of it. */
  readonly license: string;
}

export interface HeaderFile {
  /** Folder of the wheel that includes start from. */
  readonly includeRoot: string;
  /** Members that are fetched, those that the wheel has; the API header itself must be there. */
  readonly members: readonly string[];
  readonly rows: readonly HeaderRow[];
  readonly traps: readonly Trap[];
}

export interface HeaderRow {
  readonly package: string;
  readonly version: string;
  readonly pjrtApi: string;
  readonly note?: string;
}

/** Something that goes wrong if a plugin says that it has API version `from` or newer. */
export interface Trap {
  readonly from: string;
  /** The PJRT API version of the first frameworks with which it goes wrong. */
  readonly frameworksFrom: string;
  readonly what: string;
  /** `avoid`: a header as new as this is not chosen; `implement`: harmless once `calls` do as `what` says. */
  readonly answer: 'avoid' | 'implement';
  readonly calls?: readonly string[];
}

export async function loadCompat(root: string): Promise<Compat> {
  const [jaxlib, iree, headers, cudaHeaders, tracy, googletest, ducc] = await Promise.all([
    readCompatFile<{ readonly rows: readonly JaxlibRow[] }>(root, COMPAT_FILES.jaxlib, 'compat-jaxlib'),
    readCompatFile<{ readonly rows: readonly IreeRow[] }>(root, COMPAT_FILES.iree, 'compat-iree'),
    readCompatFile<HeaderFile>(root, COMPAT_FILES.headers, 'compat-pjrt-headers'),
    readCompatFile<HeaderSource>(root, COMPAT_FILES.cudaHeaders, 'compat-cuda-headers'),
    readCompatFile<TracySource>(root, COMPAT_FILES.tracy, 'compat-tracy'),
    readCompatFile<CrateSource>(root, COMPAT_FILES.googletest, 'compat-googletest'),
    readCompatFile<DuccSource>(root, COMPAT_FILES.ducc, 'compat-ducc'),
  ]);
  return { jaxlib: jaxlib.rows, iree: iree.rows, headers, cudaHeaders, tracy, googletest, ducc };
}

/** Minor of an API version `0.minor`. */
export function minorOf(api: string): number {
  return Number(api.split('.')[1]);
}

/** Highest API minor that is safe to say to a framework of `frameworkApi`. */
export function safeMinor(traps: readonly Trap[], frameworkApi: string): number {
  const met = traps.filter(
    ({ answer, frameworksFrom }) => answer === 'avoid' && minorOf(frameworksFrom) <= minorOf(frameworkApi),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...met.map(({ from }) => minorOf(from) - 1));
}
