// SPDX-License-Identifier: Apache-2.0
/** Reads what python/recorder.py wrote about one run of pytest. */

export interface TestEnd {
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  /** Why it failed or was skipped. */
  readonly message?: string;
  /** Failed at first, passed when it was run once more by itself. */
  readonly flaky?: true;
}

export interface PytestRecord {
  /** IDs of all tests that were found, in order. */
  readonly collected: readonly string[];
  readonly ends: ReadonlyMap<string, TestEnd>;
  /** Tests that had started when the run was ended: each of them may be why. */
  readonly running: readonly string[];
  /** Why no test could be run: the file cannot be imported, or every process ends at once. */
  readonly unreadable?: string;
}

interface Line {
  readonly event: string;
  readonly test: string;
  readonly tests: readonly string[];
  readonly time: number;
  readonly seconds: number;
  readonly message?: string;
}

/** A worker's clock and ours differ by the time that a message takes. */
const CLOCK_SLACK = 1;

export function parseRecord(text: string, timeoutSeconds: number): PytestRecord {
  const ends = new Map<string, TestEnd>();
  const started = new Map<string, number>();
  let collected: readonly string[] = [];
  let unreadable: string | undefined;
  for (const line of text.split('\n').flatMap(parseLine)) {
    if (line.event === 'collected') collected = line.tests;
    else if (line.event === 'unreadable' || line.event === 'gave up') unreadable ??= line.message ?? line.event;
    else if (line.event === 'started') started.set(line.test, line.time);
    else {
      const before = started.get(line.test);
      started.delete(line.test);
      ends.set(line.test, line.event === 'crashed' ? crash(line, before, timeoutSeconds) : endOf(line));
    }
  }
  const running = [...started.keys()];
  return { collected, ends, running, ...(unreadable === undefined ? {} : { unreadable }) };
}

/** A process that is killed may leave half a line. */
function parseLine(line: string): Line[] {
  try {
    return line.trim() === '' ? [] : [JSON.parse(line) as Line];
  } catch {
    return [];
  }
}

function endOf({ event, seconds, message }: Line): TestEnd {
  return {
    outcome: event === 'passed' || event === 'skipped' ? event : 'failed',
    seconds,
    ...(message === undefined ? {} : { message }),
  };
}

/** A worker that ended: by the test's time limit if that was over, else by itself. */
function crash({ time }: Line, started: number | undefined, timeoutSeconds: number): TestEnd {
  const seconds = Math.round((time - (started ?? time)) * 1000) / 1000;
  const late = seconds > timeoutSeconds - CLOCK_SLACK;
  return { outcome: 'failed', seconds, message: late ? TIMED_OUT : CRASHED };
}

export const CRASHED = 'Crash: the process ended during this test';
export const TIMED_OUT = 'Time-out: the test took too long and was ended';
