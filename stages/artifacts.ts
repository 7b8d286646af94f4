// SPDX-License-Identifier: Apache-2.0
/**
 * The types that pass between rooms: one per stage, JSON only. Paths are relative
 * to the artifact's folder unless a comment says otherwise.
 */
import type { CheckedCompiler, OwnBuilds } from './lib/local/types.js';

/** `setup-tools`: a virtual environment with the build tools of the options. */
export interface ToolsArtifact {
  /** `bin/python` of the environment. */
  readonly python: string;
  /** `bin`: cmake, ninja, uv, auditwheel, twine … */
  readonly bin: string;
  /** The zig executable inside the `ziglang` package. */
  readonly zig: string;
  /** Installed version of each package, by normalised name. */
  readonly versions: Readonly<Record<string, string>>;
}

/** A jaxlib, with what no registry says about it (from compat/). */
export interface Framework {
  /** `major.minor` of the Python it was resolved for. */
  readonly python: string;
  readonly jax: string;
  readonly jaxlib: string;
  /** PJRT C API version the framework was built with, `0.minor`. */
  readonly pjrtApi: string;
  readonly stablehlo: string;
  /** Commit of openxla/xla that this jaxlib was built from. */
  readonly xlaCommit: string;
}

export interface LockedFile {
  readonly path: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** Header files inside a wheel that is read for them only. */
export interface LockedHeaders {
  readonly package: string;
  readonly version: string;
  readonly wheel: string;
  readonly wheelSha256: string;
  /** `major.minor` of the Python whose wheel it is. */
  readonly python: string;
  /** Folder in the wheel that includes start from. */
  readonly includeRoot: string;
  /** Paths inside the wheel. */
  readonly files: readonly LockedFile[];
}

/** What a lock was resolved from. */
export interface LockOrigin {
  /** PEP 440 ranges of pipeline.yaml. */
  readonly jaxlib: string;
  readonly iree: string;
  /** Values of the axis `iree`; empty without one. */
  readonly ireeLines: readonly string[];
  readonly python: string;
  readonly pythons: readonly string[];
  /** Name of the channel, and its links as pipeline.yaml writes them. */
  readonly channel: string;
  readonly links: readonly string[];
}

/** The lock: `pipeline.lock.yaml`, checked by schemas/lock.schema.json. `resolve-versions` hands it on. */
export interface Lock {
  readonly lockVersion: 1;
  /** sha256 over the rest of the file: an edit by hand is noticed. */
  readonly digest: string;
  /** sha256 over `from` and the rows of compat/ that were used. */
  readonly inputs: string;
  readonly from: LockOrigin;
  /** The jaxlib that the plugin is built and documented for: the newest for the lowest Python. */
  readonly framework: Framework;
  /** One per Python: the newest jaxlib that the constraint allows and that this Python can install. */
  readonly frameworks: readonly Framework[];
  /** One per value of the axis `iree`, in its order; without that axis one, the newest. */
  readonly iree: readonly LockedIree[];
  readonly pjrtHeaders: LockedHeaders & {
    /** API version that the header states, `0.minor`. */
    readonly pjrtApi: string;
  };
  /** CUDA's driver API, for the device `cuda`. */
  readonly cudaHeaders: LockedHeaders;
  /** Tracy's client, for the flavour `tracing`. */
  readonly tracy: LockedCrate & {
    /** Version of the protocol that the client speaks. */
    readonly protocol: number;
  };
  /** GoogleTest, for the plugin's own tests. */
  readonly googletest: LockedCrate;
  /** DUCC, the plugin's Fourier transforms. */
  readonly ducc: LockedSdist;
}

/** Sources in a package of the Python registry. */
export interface LockedSdist {
  readonly package: string;
  readonly version: string;
  /** sha256 of its source distribution. */
  readonly sha256: string;
}

/** Sources that a crate carries. */
export interface LockedCrate {
  readonly crate: string;
  readonly crateVersion: string;
  /** Release of what it carries. */
  readonly version: string;
  /** sha256 of the .crate file, as the registry index states it. */
  readonly sha256: string;
  /** sha256 over the files that are taken from it (path and content of each). */
  readonly treeSha256: string;
}

/** Runtime and compiler of one release of IREE. */
export interface LockedIree {
  /** Its release line, `3.13`. */
  readonly line: string;
  readonly runtime: LockedCrate;
  readonly compiler: {
    readonly package: string;
    readonly version: string;
    /** Newest StableHLO portable artifact that it reads. */
    readonly stablehlo: string;
  };
}

/** `resolve-versions`. */
export interface ResolveArtifact {
  readonly lock: Lock;
  /** That takes the place of those of the lock; absent without. */
  readonly compiler?: CheckedCompiler;
}

/** `fetch-sources`: folders inside the artifact, or absolute ones where a source was overridden. */
export interface SourcesArtifact {
  /** Root of the IREE tree (holds runtime/, compiler/bindings/c, third_party/). */
  readonly iree: string;
  /** Release of that tree, `3.13.0`. */
  readonly ireeVersion: string;
  /** sha256 over a tree that lies outside of the artifact. */
  readonly ireeSha256?: string;
  /** Include folder: `xla/pjrt/c/pjrt_c_api.h` lies in it. */
  readonly pjrtHeaders: string;
  /** Include folder: `cuda.h` lies in it. Read while compiling only: nothing of it is in a library. */
  readonly cudaHeaders: string;
  /** GoogleTest's tree. Only the plugin's own tests are made of it. */
  readonly googletest: string;
  /** Include folder: `ducc0/fft/fftnd_impl.h` lies in it. */
  readonly ducc: string;
  /** Sources of Tracy's client: `TracyClient.cpp` lies in it, and its licence. Only the flavour `tracing` is made of them. */
  readonly tracy: string;
  /** Folder of licence files, named `<component>.txt`. */
  readonly licenses: string;
  /** What the plugin is made of, for the SBOM. */
  readonly components: readonly SourceComponent[];
}

export interface SourceComponent {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly license: string;
  readonly purl: string;
  readonly sha256?: string;
  /** Set if the source was overridden by the user: path, or git URL and commit. */
  readonly override?: string;
}

/** `build-native`. */
export interface NativeArtifact {
  /** The library, e.g. `pjrt_plugin_iree_cpu.so`. */
  readonly library: string;
  /** The program that the library starts to compile in. */
  readonly helper: string;
  /** Its debug info where that is kept aside: the library is then stripped. */
  readonly debug?: string;
  /** The same with bugs that a client option sets off: proof that a flavour with a sanitizer reports them. */
  readonly planted?: { readonly library: string; readonly bugs: readonly PlantedBug[] };
  /** Platform tag it was built for: `manylinux_2_28_x86_64`, or `linux_x86_64` if only for the machine that built it. */
  readonly platform: string;
  /** Bytes of the library. */
  readonly size: number;
  /** The only symbols it exports. */
  readonly exports: readonly string[];
  /** DT_NEEDED entries. */
  readonly needed: readonly string[];
  /** Highest GLIBC_x.y symbol version needed. */
  readonly glibc: string;
  readonly hardening: Hardening;
  /** What the compiler linked in from its own sources (libc++), and the folder of its licences. */
  readonly toolchain: readonly SourceComponent[];
  readonly licenses: string;
}

/** How a library is protected against its own mistakes, as its ELF file shows. */
export interface Hardening {
  /** Relocations are all done at load time and read-only from then on ("full RELRO"). */
  readonly relro: boolean;
  /** The stack is not executable. */
  readonly nx: boolean;
  readonly stackProtector: boolean;
  /** Calls of glibc are checked (`_FORTIFY_SOURCE`). */
  readonly fortify: boolean;
}

/** A bug that the client option `planted_bug` sets off, and where it must be reported. */
export interface PlantedBug {
  readonly name: string;
  /** Words of the report. */
  readonly report: string;
  readonly file: string;
  readonly line: number;
}

/** `render-packages`: one Python source tree per package. */
export interface PackagesArtifact {
  readonly packages: readonly RenderedPackage[];
  /** Handed on beside the packages, for the smoke test: it must not run anew for debug information alone. */
  readonly planted?: NativeArtifact['planted'];
}

export interface RenderedPackage {
  /** Distribution name, e.g. `iree-pjrt-plugin-cpu`. */
  readonly name: string;
  readonly version: string;
  /** JAX platform name, e.g. `iree_cpu`. */
  readonly platform: string;
  /** Folder of the source tree (pyproject.toml in it). */
  readonly folder: string;
  /** Folder below wheel-templates/ that it was rendered from. */
  readonly template: string;
}

/** `pack-wheels`. */
export interface WheelsArtifact {
  readonly wheels: readonly Wheel[];
}

export interface Wheel {
  readonly name: string;
  readonly version: string;
  readonly platform: string;
  /** File name, also its path in the artifact. */
  readonly file: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly tag: string;
}

/** `smoke-test`: one entry per wheel and Python. */
export interface SmokeArtifact {
  readonly runs: readonly SmokeRun[];
}

export interface SmokeRun extends OwnBuilds {
  readonly wheel: string;
  /** Full version of the interpreter. */
  readonly python: string;
  readonly jax: string;
  readonly jaxlib: string;
  readonly compiler: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Why checks were not run that are among the skipped: there is no such device. */
  readonly notRun?: string;
  /** JUnit XML and JSON report. */
  readonly junit: string;
  readonly json: string;
}

/** `report-wheels`, and `dist/report/wheels.json`: schemas/wheels-report.schema.json. */
export interface WheelsReport {
  readonly wheels: readonly WheelRow[];
}

export interface WheelRow {
  readonly variant: string;
  readonly file: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly library: Pick<NativeArtifact, 'size' | 'exports' | 'needed' | 'glibc' | 'hardening'> & {
    readonly file: string;
  };
  /** Place in the wheel's `.dist-info`, and how many parts it lists. */
  readonly sbom: { readonly file: string; readonly components: number };
  /** The smoke test's; none if no Python could run the wheel. */
  readonly runs: readonly Pick<SmokeRun, 'python' | 'jaxlib' | 'passed' | 'failed' | 'skipped' | 'notRun'>[];
}

/** `find-pythons`: one minor version. */
export interface FoundPython {
  /** `major.minor`. */
  readonly python: string;
  /** Undefined if none was found. */
  readonly path?: string;
  /** Full version. */
  readonly version?: string;
}

/**
 * `works`, `fails`: what the smoke test says. `refused`: it cannot be installed or the plugin declines, with a message.
 * `impossible`: known from compat/, not run. `not-run`: a Python or a device is missing here.
 */
export type CellResult = 'works' | 'fails' | 'refused' | 'impossible' | 'not-run';

/** `matrix-cell`: what one set of versions did. */
export interface MatrixCellArtifact {
  readonly result: Exclude<CellResult, 'impossible'>;
  /** Why it is not `works`, as a word: `tests`, `install`, a barrier … */
  readonly kind?: string;
  /** The same in one line, without paths. */
  readonly reason?: string;
  /** What the framework and the plugin report of themselves. */
  readonly versions: Readonly<Record<string, string>>;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Last lines of the test suite or of who refused. */
  readonly logTail: readonly string[];
}

/** `publish-wheels`: the files that were uploaded. */
export interface PublishedArtifact {
  readonly files: readonly string[];
}

/** `setup-jax`: an environment with JAX and the IREE compiler, for native tests and the developer. */
export interface JaxArtifact extends OwnBuilds {
  /** Interpreter of the environment. */
  readonly python: string;
  /** libIREECompiler.so of that `iree-base-compiler`. */
  readonly compilerLibrary: string;
}

/** `test-native` (GoogleTest), `test-packages` and `conformance` (pytest). */
export interface TestReportArtifact {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** JUnit XML. */
  readonly junit: string;
}

/** Of a test in a report. */
export type TestOutcome = 'passed' | 'failed' | 'skipped';

/** `jax-tests`. */
export interface JaxTestsArtifact {
  /** Version of JAX whose tests were run. */
  readonly tests: string;
  /** JSON, as schemas/jax-tests-report.schema.json says. */
  readonly report: string;
  /** JSON: by file, the IDs of the tests that XLA:CPU passes, by how they ended on the wheel. */
  readonly outcomes: string;
  /** The release line of IREE that the wheel is made of: `3.13`. */
  readonly iree: string;
}

/** `obsolete-rewrites`. */
export interface ObsoleteRewritesArtifact {
  /** JSON: by pass, whether a test fails without it. */
  readonly report: string;
}
