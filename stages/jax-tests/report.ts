// SPDX-License-Identifier: Apache-2.0
import { causeOf, groupByCause, type Cause } from './causes.js';
import type { FileResult } from './file-run.js';
import type { TestEnd } from './records.js';

/** What was compared: checked by schemas/jax-tests-report.schema.json. */
export interface Subject {
  readonly tests: string;
  readonly jax: string;
  readonly jaxlib: string;
  readonly python: string;
  readonly wheel: string;
  readonly sha256: string;
  readonly platform: string;
  /** The release line of IREE that the wheel is made of. */
  readonly iree: string;
  readonly generatedCases: number;
  /** pytest's `-k`, if only a part was run: floors are then not judged. */
  readonly select: string | null;
}

/** `dist/report/jax-tests-<variant>.json`. */
export interface Report extends Subject {
  readonly totals: Tally;
  readonly files: readonly FileReport[];
  readonly causes: readonly Cause[];
  /** Why tests are skipped here that XLA:CPU passes. */
  readonly skips: readonly Cause[];
}

export interface Tally {
  /** Tests that XLA:CPU passes and that are not only for it. All other numbers but the last are of these. */
  readonly reference: number;
  readonly passed: number;
  readonly failed: number;
  /** Skipped here, though not on XLA:CPU: they count as not passed. */
  readonly skipped: number;
  /** Passed, but only when run once more by themselves. */
  readonly flaky: number;
  /** Tests that XLA:CPU passes and that JAX keeps for platforms that it names, of which this is none. */
  readonly elsewhere: number;
}

export interface FileReport extends Tally {
  /** With its devices where they are several: `pmap_test@8`. */
  readonly file: string;
  /** Devices of either platform. */
  readonly devices: number;
  /** Percent. */
  readonly rate: number;
  readonly floor: number;
  /** null where it is not judged. */
  readonly reached: boolean | null;
  /** How XLA:CPU did, of all tests of the file. */
  readonly onReference: { readonly passed: number; readonly failed: number; readonly skipped: number };
  /** Wall time on XLA:CPU and here. */
  readonly seconds: readonly [reference: number, ours: number];
  readonly failures: readonly { readonly test: string; readonly cause: string }[];
  /** Why no test could be run here. */
  readonly unreadable: string | null;
}

/** One file on both platforms. */
export interface FilePair {
  readonly file: string;
  readonly devices: number;
  readonly floor: number;
  readonly reference: FileResult;
  readonly ours: FileResult;
}

/** IDs of the tests that XLA:CPU passes, by how they end here. */
export interface Outcomes {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

export function makeReport(subject: Subject, pairs: readonly FilePair[]): Report {
  const files = pairs.map((pair) => fileReport(pair, subject.select !== null));
  const sum = (key: keyof Tally): number => files.reduce((total, file) => total + file[key], 0);
  const causes = (outcome: 'failed' | 'skipped'): Cause[] =>
    groupByCause(
      pairs.flatMap((pair) =>
        withOutcome(pair, outcome).map(([test, { message }]) => ({ file: pair.file, test, message: message ?? '' })),
      ),
    );
  return {
    ...subject,
    totals: {
      reference: sum('reference'),
      passed: sum('passed'),
      failed: sum('failed'),
      skipped: sum('skipped'),
      flaky: sum('flaky'),
      elsewhere: sum('elsewhere'),
    },
    files,
    causes: causes('failed'),
    skips: causes('skipped'),
  };
}

export function outcomesOf(pair: FilePair): Outcomes {
  const ids = (wanted: TestEnd['outcome']): string[] => withOutcome(pair, wanted).map(([test]) => test);
  return { passed: ids('passed'), failed: ids('failed'), skipped: ids('skipped') };
}

function fileReport(pair: FilePair, part: boolean): FileReport {
  const { passed, failed, skipped } = outcomesOf(pair);
  const reference = passed.length + failed.length + skipped.length;
  const rate = reference === 0 ? 100 : Math.floor((passed.length / reference) * 10_000) / 100;
  const onReference = Object.values(pair.reference.tests);
  const count = (wanted: TestEnd['outcome']): number => onReference.filter(({ outcome }) => outcome === wanted).length;
  return {
    file: pair.file,
    devices: pair.devices,
    reference,
    passed: passed.length,
    failed: failed.length,
    skipped: skipped.length,
    flaky: compared(pair).filter(([, { flaky }]) => flaky).length,
    elsewhere: passedOnReference(pair).filter(isElsewhere).length,
    rate,
    floor: pair.floor,
    reached: part ? null : rate >= pair.floor,
    onReference: { passed: count('passed'), failed: count('failed'), skipped: count('skipped') },
    seconds: [pair.reference.seconds, pair.ours.seconds],
    failures: withOutcome(pair, 'failed').map(([test, { message }]) => ({ test, cause: causeOf(message ?? '') })),
    unreadable: pair.ours.unreadable ?? null,
  };
}

function withOutcome(pair: FilePair, wanted: TestEnd['outcome']): Ended[] {
  return compared(pair).filter(([, { outcome }]) => outcome === wanted);
}

type Ended = readonly [test: string, end: TestEnd];

function compared(pair: FilePair): Ended[] {
  return passedOnReference(pair).filter((ended) => !isElsewhere(ended));
}

/** How the tests that XLA:CPU passes end here; one that is not even there has failed. */
function passedOnReference({ reference, ours }: FilePair): Ended[] {
  return Object.entries(reference.tests)
    .filter(([, { outcome }]) => outcome === 'passed')
    .map(([test]) => [test, ours.tests[test] ?? missing(ours)]);
}

/** JAX's tests say, by `run_on_devices` or in words, that no platform of another name can run them. */
const ELSEWHERE = /Skipped unless running on devices with tags:|Test requires [CGT]PU( or [CGT]PU)*\./;

function isElsewhere([, { outcome, message = '' }]: Ended): boolean {
  return outcome === 'skipped' && ELSEWHERE.test(message);
}

function missing({ unreadable }: FileResult): TestEnd {
  const why = unreadable === undefined ? 'the test is not there on this platform' : `no test was run: ${unreadable}`;
  return { outcome: 'failed', seconds: 0, message: `Missing: ${why}` };
}
