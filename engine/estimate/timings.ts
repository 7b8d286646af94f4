// SPDX-License-Identifier: Apache-2.0
/** How long nodes took in the runs that the journal remembers. */
import fs from 'node:fs';
import path from 'node:path';
import type { Event } from '../events/event.js';

/** How many of a node's newest runs count. */
const NEWEST = 5;

export interface Timings {
  /** Node id → milliseconds: the median of its newest runs. A node that never ran to its end here has none. */
  readonly nodes: ReadonlyMap<string, number>;
  /** Runs that timings were taken from, the newest first. */
  readonly runs: readonly { readonly run: string; readonly time: number; readonly jobs: number }[];
}

/** Reads the journals of a checkout. Hits took no time that matters and do not count. */
export function readTimings(stateDir: string): Timings {
  const samples = new Map<string, number[]>();
  const runs: Timings['runs'][number][] = [];
  for (const events of journalsNewestFirst(path.join(stateDir, 'journal'))) {
    const start = events.find((event) => event.type === 'run-started');
    const finished = events.filter((event) => event.type === 'node-finished');
    if (start === undefined || finished.length === 0) continue;
    runs.push({ run: start.run, time: start.time, jobs: start.jobs });
    for (const { node, durationMs } of finished) {
      const known = samples.get(node) ?? [];
      if (known.length < NEWEST) samples.set(node, [...known, durationMs]);
    }
  }
  return { nodes: new Map([...samples].map(([node, times]) => [node, median(times)])), runs };
}

function* journalsNewestFirst(folder: string): Generator<Event[]> {
  if (!fs.existsSync(folder)) return;
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  for (const name of names.sort().reverse()) {
    const lines = fs.readFileSync(path.join(folder, name), 'utf8').split('\n');
    yield lines.flatMap(parseEvent);
  }
}

/** The last line of a run that was killed may be half. */
function parseEvent(line: string): Event[] {
  if (line === '') return [];
  try {
    return [JSON.parse(line) as Event];
  } catch {
    return [];
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
