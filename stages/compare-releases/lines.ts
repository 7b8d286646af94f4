// SPDX-License-Identifier: Apache-2.0
/** How tests ended on each release line of IREE, and which lines are compared. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compare } from '@renovatebot/pep440';
import type { Artifact, StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { JaxTestsArtifact, NativeArtifact, TestOutcome, TestReportArtifact } from '../artifacts.js';
import { sha256File } from '../lib/hash.js';
import { junitOutcomes } from '../lib/junit.js';

/** What schemas/stages/compare-releases.schema.json allows below `with`. */
export interface CompareReleasesOptions {
  readonly of: 'conformance' | 'jax-tests';
}

export interface Line {
  readonly variant: string;
  /** `3.13`. */
  readonly iree: string;
  /** sha256 of the library. */
  readonly library: string;
  /** By test, `file::test`. */
  readonly outcomes: ReadonlyMap<string, TestOutcome>;
}

type Context = StageContext<CompareReleasesOptions>;

/** Neighbouring release lines, the older first, of variants that differ in nothing else. */
export async function pairsOfLines(context: Context): Promise<[before: Line, after: Line][]> {
  const groups = new Map<string, Artifact[]>();
  for (const artifact of context.artifacts(context.options.of)) {
    const { iree, ...others } = artifact.variant.axes;
    const key = JSON.stringify(others);
    if (iree !== undefined) groups.set(key, [...(groups.get(key) ?? []), artifact]);
  }
  const pairs: [Line, Line][] = [];
  for (const artifacts of groups.values()) {
    const lines = await Promise.all(artifacts.map((artifact) => lineOf(context, artifact)));
    lines.sort((one, other) => compare(one.iree, other.iree));
    for (const [index, after] of lines.entries()) {
      const before = lines[index - 1];
      if (before) pairs.push([before, after]);
    }
  }
  if (pairs.length > 0) return pairs;
  return fail({
    kind: 'usage',
    message: 'there are no two release lines of IREE to compare',
    help: 'choose variants that differ in `iree` only, with --variant NAME each, or none; the axis is in pipeline.yaml',
  });
}

async function lineOf(context: Context, artifact: Artifact): Promise<Line> {
  const { id, axes } = artifact.variant;
  const native = context.artifacts<NativeArtifact>('build-native').find(({ variant }) => variant.id === id);
  if (!native) throw new Error(`build-native made nothing for ${id}`);
  return {
    variant: id,
    iree: axes['iree'] ?? '',
    library: await sha256File(path.join(native.dir, native.value.library)),
    outcomes: await OUTCOMES[context.options.of](artifact),
  };
}

const OUTCOMES: Readonly<
  Record<CompareReleasesOptions['of'], (artifact: Artifact) => Promise<ReadonlyMap<string, TestOutcome>>>
> = {
  conformance: async ({ value, dir }) =>
    junitOutcomes(await readFile(path.join(dir, (value as TestReportArtifact).junit), 'utf8')),
  'jax-tests': async ({ value, dir }) => {
    const text = await readFile(path.join(dir, (value as JaxTestsArtifact).outcomes), 'utf8');
    const files = Object.entries(
      JSON.parse(text) as Readonly<Record<string, Readonly<Record<TestOutcome, readonly string[]>>>>,
    );
    return new Map(
      files.flatMap(([file, ends]) =>
        (['passed', 'failed', 'skipped'] as const).flatMap((outcome) =>
          ends[outcome].map((test): [string, TestOutcome] => [`${file}::${test}`, outcome]),
        ),
      ),
    );
  },
};
