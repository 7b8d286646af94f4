// SPDX-License-Identifier: Apache-2.0
/**
 * conformance/expected.json: the failures of JAX's tests that are known, each with a reason.
 * By version of the tests and by file; a key is a test's ID, in which `*` stands for anything. A reason may be for some
 * release lines of IREE only.
 */

export const EXPECTED_FILE = 'conformance/expected.json';
/** The reason of a failure that nobody has looked at. */
export const UNCLASSIFIED = 'unclassified';

/** Reason by ID or pattern, on one release line of IREE. */
export type Entries = Readonly<Record<string, string>>;
/** Why a test fails: on all release lines of IREE, or by line (`3.11`) on those where it does. */
export type Reason = string | Readonly<Record<string, string>>;
/** Entries by test file (without `.py`). */
export type ExpectedFiles = Readonly<Record<string, Readonly<Record<string, Reason>>>>;

export interface Expected {
  readonly $schema?: string;
  readonly versions: Readonly<Record<string, ExpectedFiles>>;
}

/** How the tests of one file ended: those that XLA:CPU passes. */
export interface Seen {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

export interface Change {
  readonly file: string;
  readonly kind: 'new' | 'fixed' | 'stale' | 'unclassified';
  /** Test, or the pattern as the file has it. */
  readonly test: string;
  readonly reason: string;
}

/** What is expected on one release line. */
export function entriesOn(line: string, entries: Readonly<Record<string, Reason>> = {}): Entries {
  const found = Object.entries(entries).map(([pattern, reason]) => [pattern, reasonOn(line, reason)] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The entries of a file with those of one line replaced; what all lines agree on is said once. */
export function withLine(
  entries: Readonly<Record<string, Reason>>,
  { line, lines }: { readonly line: string; readonly lines: readonly string[] },
  after: Entries,
): Readonly<Record<string, Reason>> {
  const all = [...new Set([...lines, line])];
  const merged: Record<string, Reason> = {};
  for (const pattern of new Set([...Object.keys(entries), ...Object.keys(after)])) {
    const reasons = all.flatMap((one) => {
      const reason = one === line ? after[pattern] : reasonOn(one, entries[pattern]);
      return reason === undefined ? [] : [[one, reason] as const];
    });
    const [first] = reasons;
    if (first === undefined) continue;
    const agreed = reasons.length === all.length && reasons.every(([, reason]) => reason === first[1]);
    merged[pattern] = agreed ? first[1] : sorted(Object.fromEntries(reasons));
  }
  return sorted(merged);
}

function reasonOn(line: string, reason: Reason | undefined): string | undefined {
  return typeof reason === 'object' ? reason[line] : reason;
}

/** A test that is said to be flaky may pass. */
export function mayPass(reason: string): boolean {
  return reason.startsWith('flaky:');
}

export function matches(pattern: string, test: string): boolean {
  if (!pattern.includes('*')) return pattern === test;
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(test);
}

/** What differs between what is expected of a file and what was seen. `part`: only some of its tests were run. */
export function changesOf(file: string, entries: Entries, seen: Seen, part: boolean): Change[] {
  const patterns = Object.keys(entries);
  const changes: Change[] = seen.failed
    .filter((test) => !patterns.some((pattern) => matches(pattern, test)))
    .map((test) => ({ file, kind: 'new', test, reason: '' }));
  const others = [...seen.passed, ...seen.skipped];
  for (const [pattern, reason] of Object.entries(entries)) {
    if (reason === UNCLASSIFIED) changes.push({ file, kind: 'unclassified', test: pattern, reason });
    if (mayPass(reason)) continue;
    const fixed = others.filter((test) => matches(pattern, test));
    changes.push(...fixed.map((test) => ({ file, kind: 'fixed' as const, test, reason })));
    const known = fixed.length > 0 || seen.failed.some((test) => matches(pattern, test));
    if (!known && !part) changes.push({ file, kind: 'stale', test: pattern, reason });
  }
  return changes;
}

/** The entries of a file as they must be after what was seen: reasons that were given are kept. */
export function updated(entries: Entries, seen: Seen, part: boolean): Entries {
  const others = [...seen.passed, ...seen.skipped];
  const all = new Set([...others, ...seen.failed]);
  const kept: Record<string, string> = {};
  for (const [pattern, reason] of Object.entries(entries)) {
    const seenTests = [...all].filter((test) => matches(pattern, test));
    const holds = mayPass(reason) || !others.some((test) => matches(pattern, test));
    if (holds && (seenTests.length > 0 || part)) kept[pattern] = reason;
  }
  const rest = seen.failed.filter((test) => !Object.keys(kept).some((pattern) => matches(pattern, test)));
  const reasons = new Map(rest.map((test) => [test, reasonFor(test, entries)]));
  return sorted({ ...kept, ...compacted(reasons, others, seen.failed) });
}

/** A pattern that no longer holds for all its tests still gives those that fail its reason. */
function reasonFor(test: string, entries: Entries): string {
  const [found] = Object.entries(entries).filter(([pattern]) => matches(pattern, test));
  return found?.[1] ?? UNCLASSIFIED;
}

/** One pattern for the cases of a parametrized test that all fail for one reason: `Class::test*`. */
function compacted(
  reasons: ReadonlyMap<string, string>,
  others: readonly string[],
  failed: readonly string[],
): Record<string, string> {
  const groups = new Map<string, string[]>();
  for (const test of reasons.keys()) {
    const base = test.replace(/\d+$/, '');
    groups.set(base, [...(groups.get(base) ?? []), test]);
  }
  const entries: Record<string, string> = {};
  for (const [base, tests] of groups) {
    const pattern = `${base}*`;
    const reason = reasons.get(tests[0] ?? '') ?? UNCLASSIFIED;
    const covered = failed.filter((test) => matches(pattern, test));
    const one = covered.every((test) => reasons.get(test) === reason);
    if (tests.length > 1 && one && !others.some((test) => matches(pattern, test))) entries[pattern] = reason;
    else for (const test of tests) entries[test] = reasons.get(test) ?? UNCLASSIFIED;
  }
  return entries;
}

/** The whole file with the entries of some test files of one version replaced, in a stable order. */
export function withFiles(expected: Expected, version: string, files: ExpectedFiles): Expected {
  const merged = { ...expected.versions[version], ...files };
  const filled = Object.fromEntries(Object.entries(merged).filter(([, entries]) => Object.keys(entries).length > 0));
  const { versions, ...rest } = expected;
  return { ...rest, versions: sorted({ ...versions, [version]: sorted(filled) }) };
}

export function format(expected: Expected): string {
  return `${JSON.stringify(expected, null, 2)}\n`;
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
