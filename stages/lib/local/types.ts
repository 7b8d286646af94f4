// SPDX-License-Identifier: Apache-2.0

/** What JAX is run of that a developer built: `sources` of pipeline.yaml, `--set sources.…`. */
export interface LocalFramework {
  readonly jaxlib?: LocalPackage;
  readonly jax?: LocalPackage;
}

/** The same with the compiler. */
export interface LocalBuilds extends LocalFramework {
  readonly compiler?: LocalCompiler;
}

/** sha256 by path. */
export type Hashes = Readonly<Record<string, string>>;

export interface LocalPackage {
  /** Distribution, `jaxlib`. */
  readonly package: string;
  readonly version: string;
  /** Absolute paths: a wheel for each Python, or one libIREECompiler.so. */
  readonly files: readonly string[];
}

export interface LocalCompiler extends LocalPackage {
  /** Newest StableHLO portable artifact that it is sure to read. */
  readonly stablehlo: string;
  /** Of IREE, that it was built from; absent where it does not say so. */
  readonly commit?: string;
}

/** A part of results that say what they were made of. */
export interface OwnBuilds {
  /** Builds of the developer's own, by path; absent without. */
  readonly local?: Hashes;
}

/** As `resolve-versions` hands it on. */
export interface CheckedCompiler extends LocalCompiler {
  readonly sha256: Hashes;
}

/** What of a cell of the matrix is a build of the developer's own. */
export type LocalPart = 'jaxlib' | 'compiler';
