// SPDX-License-Identifier: Apache-2.0
import semver from 'semver';
import type { ToolSpec } from '../api.js';
import type { Failure } from '../failure.js';

/** Runs a command line and gives its output; undefined if there is no such program or it does not answer. */
export type ProbeRunner = (
  command: string,
  args: readonly string[],
) => Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string } | undefined>;

export interface ProbedTool {
  readonly spec: ToolSpec;
  /** `old`: there, but `needs` excludes its version. `unknown`: there, its version could not be read. */
  readonly state: 'ok' | 'missing' | 'old' | 'unknown';
  readonly version?: string;
  /** The program that answered, e.g. `cc-14`. */
  readonly command?: string;
}

/** Tries the probes in order; the first that exits 0 with an acceptable version wins, or else the first that answers. */
export async function probeTool(spec: ToolSpec, run: ProbeRunner): Promise<ProbedTool> {
  let fallback: ProbedTool | undefined;
  for (const [command, ...args] of spec.probes) {
    const answer = await run(command, args);
    if (answer?.exitCode !== 0) continue;
    const version = spec.version.exec(`${answer.stdout}\n${answer.stderr}`)?.[1];
    const state = judge(spec, version);
    const probed: ProbedTool = { spec, state, command, ...(version === undefined ? {} : { version }) };
    if (state === 'ok') return probed;
    fallback ??= probed;
  }
  return fallback ?? { spec, state: 'missing' };
}

export function probeTools(specs: readonly ToolSpec[], run: ProbeRunner): Promise<ProbedTool[]> {
  return Promise.all(specs.map((spec) => probeTool(spec, run)));
}

function judge(spec: ToolSpec, version: string | undefined): ProbedTool['state'] {
  if (spec.needs === undefined) return 'ok';
  if (version === undefined) return 'unknown';
  const coerced = semver.coerce(version);
  if (!coerced) return 'unknown';
  return semver.satisfies(coerced, spec.needs) ? 'ok' : 'old';
}

/** The failure that ends a stage whose required tools are not there; undefined if they are. */
export function toolFailure(probed: readonly ProbedTool[], stage: string): Failure | undefined {
  const bad = probed.filter((tool) => tool.spec.required && tool.state !== 'ok');
  if (bad.length === 0) return undefined;
  const message = `'${stage}' needs ${bad.map((tool) => describe(tool)).join(', ')}`;
  const help = [...bad.map((tool) => tool.spec.install), 'npx pipeline doctor shows everything that is needed'].join(
    '; ',
  );
  return { kind: 'tool-missing', message, help };
}

function describe({ spec, state, version }: ProbedTool): string {
  const wanted = spec.needs === undefined ? spec.name : `${spec.name} ${spec.needs}`;
  if (state === 'missing') return `${wanted} (not found)`;
  return `${wanted} (found ${version ?? 'one that does not say its version'})`;
}

/** One entry per name; of two with the same name the stricter (required) one stays. */
export function uniqueTools(specs: readonly ToolSpec[]): ToolSpec[] {
  const byName = new Map<string, ToolSpec>();
  for (const spec of specs) {
    const known = byName.get(spec.name);
    if (!known || (spec.required && !known.required)) byName.set(spec.name, spec);
  }
  return [...byName.values()];
}
