// SPDX-License-Identifier: Apache-2.0
/** The report, in the form of schemas/releases-report.schema.json. */
import type { TestOutcome } from '../artifacts.js';
import type { TimingRow } from './timings.js';

/** `dist/report/releases-<tests>.json`. */
export interface ReleasesReport {
  /** The stage whose results are compared. */
  readonly of: 'conformance' | 'jax-tests';
  readonly pairs: readonly ReleasesPair[];
}

/** Two neighbouring release lines of IREE. */
export interface ReleasesPair {
  readonly before: ReleaseTally;
  readonly after: ReleaseTally;
  /** Passed before, and do not now. */
  readonly broken: readonly TestChange[];
  /** Pass now, and did not before. */
  readonly mended: readonly TestChange[];
  /** Tests that fail on both. */
  readonly failing: readonly string[];
  /** Of these very builds; null where they are not measured. */
  readonly timings: readonly TimingRow[] | null;
}

export interface ReleaseTally {
  readonly variant: string;
  /** `3.13`. */
  readonly iree: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface TestChange {
  /** `file::test`. */
  readonly test: string;
  readonly before: TestOutcome | 'absent';
  readonly after: TestOutcome | 'absent';
}
