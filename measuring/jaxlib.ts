// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import { PipelineFailure, fail } from '../engine/failure.js';
import { pythonsWith } from '../stages/lib/pip.js';
import type { Compat, JaxlibRow } from '../stages/lib/compat/rows.js';
import { makeEnvironment, pipOfTools, probeFile, type MeasureContext } from './context.js';

/** Pythons that are asked for, whether or not this machine has them. */
const PYTHONS = ['3.10', '3.11', '3.12', '3.13', '3.14', '3.15'];
/** Lowest Python that the plugin supports: rows are measured on this or a newer one. */
const LOWEST = 11;

interface Probe {
  readonly version: string;
  readonly jaxCommit: string | null;
  readonly stablehlo: string;
  readonly stablehloMinimum: string;
}

/** Installs a jaxlib and lets it load a stub plugin: then it says the PJRT API version of both. */
export async function measureJaxlib(version: string, context: MeasureContext, compat: Compat): Promise<JaxlibRow> {
  const pythons = await pythonsWith(pipOfTools(context), 'jaxlib', version, PYTHONS);
  const usable = pythons.filter((python) => Number(python.split('.')[1]) >= LOWEST);
  const python = await makeEnvironment(context, usable, [`jaxlib==${version}`]);
  const stub = await compileStub(context);
  const { stdout, stderr } = await context.exec(python, [probeFile('jaxlib_probe.py'), stub], {
    env: { TF_CPP_MIN_LOG_LEVEL: '0' },
    echo: false,
  });
  const probe = JSON.parse(stdout) as Probe;
  const { xlaCommit, note } = await findXlaCommit({ version, jaxCommit: probe.jaxCommit }, context, compat);
  return {
    version: probe.version,
    pjrtApi: frameworkApi(stderr),
    stablehlo: probe.stablehlo,
    stablehloMinimum: probe.stablehloMinimum,
    pythons,
    xlaCommit,
    ...(probe.jaxCommit === null ? {} : { jaxCommit: probe.jaxCommit }),
    ...(note === undefined ? {} : { note }),
  };
}

async function compileStub({ exec, tools, tempDir }: MeasureContext): Promise<string> {
  const library = path.join(tempDir, 'stub.so');
  await exec(tools.zig, ['cc', '-shared', '-fPIC', '-o', library, probeFile('stub.c')], {
    env: { ZIG_LOCAL_CACHE_DIR: path.join(tempDir, 'zig'), ZIG_GLOBAL_CACHE_DIR: path.join(tempDir, 'zig') },
  });
  return library;
}

/** From the framework's log: `The framework PJRT API version is 0.112.` */
export function frameworkApi(log: string): string {
  const api = /framework PJRT API version is (\d+\.\d+)/.exec(log)?.[1];
  return (
    api ??
    fail({
      kind: 'test',
      message: 'this jaxlib does not say its PJRT API version when it loads a plugin (jaxlib before 0.6.1 does not)',
      detail: log.split('\n').slice(-10).join('\n'),
    })
  );
}

type Commit = Pick<JaxlibRow, 'xlaCommit' | 'note'>;

/** Git's names of the sources that a wheel was built from. */
interface Origin {
  readonly version: string;
  readonly jaxCommit: string | null;
}

/**
 * The commit of XLA, from a clone of jax if one was named: at the release's tag, or at the commit that the wheel names
 * (a nightly has no tag). Without a clone, as the row has it; it is never guessed.
 */
export async function findXlaCommit(origin: Origin, context: MeasureContext, compat: Compat): Promise<Commit> {
  const { jaxRepository: repository } = context;
  const { version, jaxCommit } = origin;
  for (const revision of repository === undefined ? [] : [`jax-v${version}`, jaxCommit ?? `jaxlib-v${version}`]) {
    const commit = await xlaCommitAt(context, repository ?? '.', revision);
    if (commit !== undefined) return { xlaCommit: commit };
  }
  const known = compat.jaxlib.find((row) => row.version === version);
  if (known) return { xlaCommit: known.xlaCommit, ...(known.note === undefined ? {} : { note: known.note }) };
  const reason =
    repository === undefined
      ? 'no jax repository was named'
      : `the jax repository has neither the tag nor the commit of this release (${jaxCommit ?? 'which the wheel does not name'})`;
  return { xlaCommit: 'unknown', note: `${reason}, and the wheel does not name its XLA commit` };
}

/** Where jax says which XLA it builds with: since 0.7, before, and for Bazel's modules, which may be all that is left. */
const PINS: readonly (readonly [file: string, pin: RegExp])[] = [
  ['third_party/xla/revision.bzl', /^XLA_COMMIT\s*=\s*"([0-9a-f]{40})"/m],
  ['third_party/xla/workspace.bzl', /^XLA_COMMIT\s*=\s*"([0-9a-f]{40})"/m],
  ['MODULE.bazel', /^\s*strip_prefix\s*=\s*"xla-([0-9a-f]{40})"/m],
];

/** What jax builds with at a revision; undefined if the clone has not got it. */
async function xlaCommitAt(
  { exec }: MeasureContext,
  repository: string,
  revision: string,
): Promise<string | undefined> {
  for (const [file, pin] of PINS) {
    try {
      const { stdout } = await exec('git', ['-C', repository, 'show', `${revision}:${file}`], { echo: false });
      const commit = pin.exec(stdout)?.[1];
      if (commit !== undefined) return commit;
    } catch (error) {
      if (!(error instanceof PipelineFailure) || error.failure.kind !== 'command') throw error;
    }
  }
  return undefined;
}
