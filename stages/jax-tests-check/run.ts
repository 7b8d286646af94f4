// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { JaxTestsArtifact } from '../artifacts.js';
import { checkAgainst } from '../lib/schema/check.js';
import { changesOf, entriesOn, EXPECTED_FILE, format, updated, withFiles, withLine } from './expected.js';
import type { Change, Expected, ExpectedFiles, Seen } from './expected.js';
import { renderChanges } from './render.js';

export interface JaxTestsCheckArtifact {
  /** Failures that are there and known. */
  readonly known: number;
}

/** What is read of the report of `jax-tests`. */
interface Report {
  readonly select: string | null;
  readonly files: readonly {
    readonly file: string;
    readonly rate: number;
    readonly floor: number;
    readonly reached: boolean | null;
    readonly failures: readonly { readonly test: string; readonly cause: string }[];
  }[];
}

/** Compares what failed with conformance/expected.json, both ways, and the rates with their floors. */
export async function jaxTestsCheck(context: StageContext): Promise<JaxTestsCheckArtifact> {
  const { value, dir } = context.artifact<JaxTestsArtifact>('jax-tests');
  const report = await readJson<Report>(path.join(dir, value.report));
  const seen = await readJson<Readonly<Record<string, Seen>>>(path.join(dir, value.outcomes));
  const part = report.select !== null;
  const file = path.join(context.root, EXPECTED_FILE);
  const expected = await readExpected(file);
  let entries = expected.versions[value.tests] ?? {};
  if (context.settings['update-expected'] === '1') {
    entries = updateAll(entries, { line: value.iree, lines: context.config.axes['iree'] ?? [] }, seen, part);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFileAtomic(file, format(withFiles(expected, value.tests, entries)));
    context.log(`${EXPECTED_FILE} written`);
  }
  const changes = Object.keys(seen).flatMap((name) => {
    return changesOf(name, entriesOn(value.iree, entries[name]), get(seen, name), part);
  });
  const below = report.files.filter(({ reached }) => reached === false);
  if (changes.length > 0 || below.length > 0) refuse(context, changes, report, below);
  const known = Object.values(seen).reduce((sum, { failed }) => sum + failed.length, 0);
  context.log(`${known} failures, all of them known`);
  return { known };
}

/** Entries of the files that were run, brought up to date; those of other files as they are. */
function updateAll(
  entries: ExpectedFiles,
  place: { readonly line: string; readonly lines: readonly string[] },
  seen: Readonly<Record<string, Seen>>,
  part: boolean,
): ExpectedFiles {
  const files = Object.keys(seen).map((name): [string, ExpectedFiles[string]] => {
    const before = entries[name] ?? {};
    return [name, withLine(before, place, updated(entriesOn(place.line, before), get(seen, name), part))];
  });
  return { ...entries, ...Object.fromEntries(files) };
}

function refuse(context: StageContext, changes: readonly Change[], report: Report, below: Report['files']): never {
  const count = (kind: Change['kind'], words: string): string[] => {
    const found = changes.filter((change) => change.kind === kind).length;
    return found === 0 ? [] : [`${found} ${words}`];
  };
  const causes = new Map(
    report.files.flatMap(({ file, failures }) => failures.map(({ test, cause }) => [`${file} ${test}`, cause])),
  );
  const lines = renderChanges(changes, (file, test) => causes.get(`${file} ${test}`));
  for (const line of lines) context.log(line);
  const SHOWN = 40;
  const more = lines.length > SHOWN ? [`… and ${lines.length - SHOWN} more lines in the log`] : [];
  const floors = below.map(({ file, rate, floor }) => `${file}: ${rate} %, below its floor of ${floor} %`);
  const message = [
    ...count('new', 'new failures'),
    ...count('fixed', 'fixed'),
    ...count('stale', 'entries without a test'),
    ...count('unclassified', 'without a reason'),
    ...(below.length > 0 ? [`${below.length} files below their floor`] : []),
  ].join(', ');
  const onlyReasons = changes.length > 0 && changes.every(({ kind }) => kind === 'unclassified');
  fail({
    kind: 'test',
    message: `JAX's tests: ${message}`,
    detail: [...floors, ...lines.slice(0, SHOWN), ...more].join('\n'),
    ...(changes.length === 0
      ? {}
      : {
          help: onlyReasons
            ? `write the reasons into ${EXPECTED_FILE} in place of "unclassified"`
            : `npx pipeline run jax-tests --jax-tests DIR --update-expected, then give each new entry of ${EXPECTED_FILE} its reason`,
        }),
  });
}

async function readExpected(file: string): Promise<Expected> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { $schema: '../schemas/conformance-expected.schema.json', versions: {} };
  const problems = await problemsOf(text);
  if (problems.length > 0) {
    fail({ kind: 'usage', message: `${EXPECTED_FILE} is not what its schema allows`, help: problems.join('; ') });
  }
  return JSON.parse(text) as Expected;
}

async function problemsOf(text: string): Promise<string[]> {
  try {
    return await checkAgainst('conformance-expected', JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return [error.message];
    throw error;
  }
}

function get(seen: Readonly<Record<string, Seen>>, name: string): Seen {
  return seen[name] ?? { passed: [], failed: [], skipped: [] };
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, 'utf8')) as T;
}
