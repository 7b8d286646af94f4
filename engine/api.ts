// SPDX-License-Identifier: Apache-2.0
/**
 * What the author of a stage reads: the types that a stage and the engine share.
 * The engine knows nothing of what stages build; each stage hands over its schema,
 * tools, inputs and version, so that it is validated, planned, fingerprinted,
 * cached and run without its name being known here.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** One point of the axes, projected onto those that a stage uses, e.g. `{device: 'cpu'}`, and of the stage's own. */
export interface Variant {
  /**
   * Axis values joined by `-` in the order of pipeline.yaml, then those of the stage's own axes, e.g. `cpu-release`;
   * `''` if no axis is used.
   */
  readonly id: string;
  readonly axes: Readonly<Record<string, string>>;
}

/** The parts of pipeline.yaml that are not about stages; opaque to the engine, typed by `stages/artifacts.ts`. */
export interface ProjectConfig {
  readonly project: JsonObject;
  /** Every other top-level section (supports, packages, channels …) by its key. */
  readonly sections: JsonObject;
  /** Values of the axes of the variants, in the order of pipeline.yaml. */
  readonly axes: Readonly<Record<string, readonly string[]>>;
}

/** A program that must be on the machine before a stage can start. */
export interface ToolSpec {
  /** Name shown to people and used in keys, e.g. `cargo`. */
  readonly name: string;
  /** Command lines that print a version, tried in order; the first that exits 0 wins. */
  readonly probes: readonly (readonly [command: string, ...args: string[]])[];
  /** Finds the version in the probe's output, e.g. `/cargo (\S+)/`; the first group is the version. */
  readonly version: RegExp;
  /** semver range, e.g. `>=3.11`; versions are coerced first. */
  readonly needs?: string;
  /** What to do when it is missing, in one line. */
  readonly install: string;
  /** False: doctor reports it, nothing fails without it. */
  readonly required: boolean;
  /** True if a change of its version must rebuild what the stage made. */
  readonly inKey: boolean;
  /** Only variants with these values of axes need it: neither the keys of others hold it nor do they fail without. */
  readonly only?: Readonly<Record<string, string>>;
}

/** What goes into a node's key besides its options, variant, code, tools and upstream artifacts. */
export interface StageInputs {
  /** Absolute paths of files (not folders), each hashed. Use `ctx.glob` to list folders. */
  readonly files?: readonly string[];
  /** Values other than files, e.g. sections of pipeline.yaml or an override given on the command line. */
  readonly values?: JsonObject;
  /** Set if something that cannot be named or hashed is read: the node then always runs. Says why. */
  readonly uncacheable?: string;
}

export interface ExecOptions {
  readonly cwd?: string;
  /** Added to the (inherited) environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Milliseconds that it may take; default: as long as the stage gets on. */
  readonly timeoutMs?: number;
  /** Milliseconds that it may go without a byte of output; default: what the stage may. */
  readonly silenceMs?: number;
  /** Exit codes that are not a failure; default [0]. */
  readonly okCodes?: readonly number[];
  /** Shown with the failure: what to try. */
  readonly help?: string;
  /** False keeps stdout out of the log and the live line (for output that is parsed). Default true. */
  readonly echo?: boolean;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a stage sees while its inputs are listed. */
export interface InputContext<Options = unknown> {
  /** Root of the checkout (where pipeline.yaml lies). */
  readonly root: string;
  readonly options: Options;
  readonly variant: Variant;
  readonly config: ProjectConfig;
  /** `--set KEY=VALUE` of the command line and the like, by key. */
  readonly settings: Readonly<Record<string, string>>;
  /** Environment, limited to the definition's `env` allow-list (always holding PATH and HOME). */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files below `folder` (relative to root, or absolute) by glob patterns; absolute paths in code-unit order. */
  glob(folder: string, patterns?: readonly string[]): Promise<readonly string[]>;
  /** The artifact of an earlier stage that `needs` names, of this node's variant as that stage sees it. */
  artifact<T>(stage: string): Artifact<T>;
  /** The artifacts of an earlier stage for all selected variants that agree with this node's axes. */
  artifacts<T>(stage: string): readonly Artifact<T>[];
  /**
   * How long all that this node needs takes on several machines, by the times in the journal. A stage that puts it into
   * its result names it among the values of its inputs, too.
   */
  forecast(): Forecast;
}

/** The handed-over result of a stage: a JSON value, and the folder with its files. */
export interface Artifact<T = unknown> {
  readonly stage: string;
  readonly variant: Variant;
  /** What `run` returned. Paths in it are relative to `dir`. */
  readonly value: T;
  /** Absolute path of the folder of files; read-only by convention. */
  readonly dir: string;
  /** sha256 over value and files; part of the keys of stages that read it. */
  readonly digest: string;
}

export interface StageContext<Options = unknown> extends InputContext<Options> {
  /** Empty folder for the outputs. Renamed into place when `run` returns, thrown away if it fails. */
  readonly outDir: string;
  /**
   * Kept from run to run for incremental work (a build tree); not in the cache, and not shared with other stages except
   * through `work`.
   */
  readonly workDir: string;
  /** Scratch, deleted when the node ends. */
  readonly tempDir: string;
  /** Aborted by Ctrl-C, a time-out or another node's failure. `exec` obeys it by itself. */
  readonly signal: AbortSignal;
  /** True under `--locked`: the stage must fail rather than change what is locked. */
  readonly locked: boolean;
  /**
   * How many programs the node may run side by side: as many as the machine has cores, whatever else runs. With a share
   * of the cores only, a build that began beside a download of seconds would have half of them to its end.
   */
  readonly jobs: number;
  /** Runs a program in a process group of its own; its output goes to the node's log. Fails with kind `command`. */
  exec(command: string, args: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** A line for the log. */
  log(line: string): void;
  /** The one line that the live view shows for this node. */
  progress(text: string): void;
  /** A warning that is repeated in the summary. */
  warn(text: string): void;
}

/** A simulation: each machine runs one leg of the pipeline after the other, in the order of the plan. */
export interface Forecast {
  /** Parts of the pipeline that run on a machine each. */
  readonly legs: number;
  /** What a leg takes before its first node. */
  readonly startupSeconds: number;
  /** Nodes side by side on one machine. */
  readonly jobs: number;
  readonly results: readonly { readonly runners: number; readonly seconds: number }[];
  /** Nodes that never ran here: their time is not in `seconds`, which are lower bounds if there are any. */
  readonly unknown: readonly string[];
}

/** Files of a node's outDir that are copied to a public place (dist/, the lock) when the node is done, atomically. */
export interface Publication {
  /** Glob inside outDir. */
  readonly from: string;
  /** Folder relative to the root. */
  readonly to: string;
  /**
   * A text that is also shown at the end of the run, whether the result was made now or before; `from` names one file.
   */
  readonly show?: boolean;
}

/** What a stage knows when its own points are listed: nothing has run yet. */
export type PointContext<Options = unknown> = Pick<
  InputContext<Options>,
  'root' | 'options' | 'variant' | 'config' | 'settings'
>;

/** Values of axes that are a stage's own, e.g. `{shard: '3'}`; those of `variants.axes` are not among them. */
export type Point = Readonly<Record<string, string>>;

/** A value that `--set NAME=VALUE` gives. */
export interface Setting {
  readonly name: string;
  /** A few words for `--help`. */
  readonly text: string;
  /** `run` has `--NAME` for it too: a folder, which becomes absolute, or a flag, which stands for `1`. */
  readonly option?: 'folder' | 'flag';
}

export interface StageDefinition<Options = unknown, Value = unknown> {
  /** The name that `uses:` gives in pipeline.yaml; also the folder under stages/. */
  readonly name: string;
  /** A few words for the live view, e.g. `Build the native plugin`. */
  readonly title: string;
  /** `$id` of the schema of its options under schemas/stages/. */
  readonly schema: string;
  /** Axes that make a difference to it; the rest are ignored, so that variants share the node. */
  readonly axes: readonly string[];
  /** Raised when the stage's output changes for a reason that no input shows. Its own source files are hashed too. */
  readonly version: number;
  readonly tools?: readonly ToolSpec[];
  /** Names of environment variables that may change its output; others are invisible to the key. */
  readonly env?: readonly string[];
  /**
   * Of a result that it needs, by the stage that made it, the part that it reads. The rest, files included, is neither in
   * its key nor given to it.
   */
  readonly reads?: Readonly<Record<string, (value: never, variant: Variant) => unknown>>;
  /** The settings that the stage reads from the command line; it sees no others. */
  readonly settings?: readonly Setting[];
  /**
   * `tree`: outDir is what was made; kept in the cache, restored from it. `state`: outDir is a folder that
   * only works on this machine (a virtual environment): kept under .pipeline/, never in a shared cache.
   */
  readonly output: 'tree' | 'state';
  readonly publish?: readonly Publication[];
  /**
   * Stages that give the same name share one `workDir` for each variant, such as a build tree of which one makes a part
   * and the next the rest. One of them must need the other, so that they do not use it at the same time. Default: the
   * stage's own name.
   */
  readonly work?: string;
  /**
   * Bytes of memory that a node takes at its peak, with its programs. Nodes run side by side only as long as the sum
   * fits into the free memory of the machine. Without it a node counts as nothing. `cores` is how many programs the
   * node may start side by side.
   */
  readonly memory?: number | ((variant: Variant, cores: number) => number);
  /**
   * The node is cancelled after so many milliseconds without a sign of progress (output of its programs, or a word of
   * its own); a machine that is merely busy still makes progress. Default 30 minutes.
   */
  readonly silenceMs?: number;
  /**
   * Files that the stage may rewrite and also reads as input (a lock file): its key is computed again after the run, so
   * that the next run finds the result. Relative to the root.
   */
  readonly settles?: readonly string[];
  /**
   * Points of axes of the stage's own, for one of its variants: it runs once for each, with the point's values among
   * the variant's axes. What they are read from must be in the checkout, so that the plan is the same everywhere; only
   * what a setting names is where that was given.
   * Without it the stage runs once for each variant.
   */
  points?(context: PointContext<Options>): Promise<readonly Point[]>;
  /** Fails for settings that cannot be right, before anything runs. */
  check?(context: Pick<InputContext<Options>, 'settings' | 'options'>): Promise<unknown>;
  inputs(context: InputContext<Options>): Promise<StageInputs>;
  run(context: StageContext<Options>): Promise<Value>;
}
