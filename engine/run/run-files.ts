// SPDX-License-Identifier: Apache-2.0
/** The files that a run leaves for people: a log per node and a journal of events; old ones are removed. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileNameOf } from '../results/artifact-dir.js';
import type { Event } from '../events/event.js';
import { diskFailure, removeTree } from '../base/files.js';
import { PipelineFailure } from '../failure.js';

const KEEP_LOGS = 20;
const KEEP_JOURNALS = 50;

/** UTC time, so that names sort by time, and a little chance for two runs in one second. */
export function newRunId(now: Date = new Date()): string {
  const time = now
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z');
  return `${time}-${randomBytes(3).toString('hex')}`;
}

/** Appends to a file that is made when the first line is written. */
export class LineFile {
  readonly file: string;
  #fd: number | undefined;

  constructor(file: string) {
    this.file = file;
  }

  write(line: string): void {
    try {
      if (this.#fd === undefined) {
        fs.mkdirSync(path.dirname(this.file), { recursive: true });
        this.#fd = fs.openSync(this.file, 'a');
      }
      fs.writeSync(this.#fd, `${line}\n`);
    } catch (error) {
      const full = diskFailure(error, this.file);
      throw full === undefined ? error : new PipelineFailure(full);
    }
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }
}

export class RunFiles {
  readonly #stateDir: string;
  readonly #run: string;
  readonly #journal: LineFile;

  constructor(stateDir: string, run: string) {
    this.#stateDir = stateDir;
    this.#run = run;
    this.#journal = new LineFile(path.join(stateDir, 'journal', `${run}.jsonl`));
  }

  nodeLog(node: string): LineFile {
    return new LineFile(path.join(this.#stateDir, 'logs', this.#run, `${fileNameOf(node)}.log`));
  }

  /** Every event except the output lines, which the logs have. */
  record(event: Event): void {
    if (event.type !== 'node-line' && event.type !== 'node-progress') this.#journal.write(JSON.stringify(event));
  }

  async close(): Promise<void> {
    this.#journal.close();
    await keepNewest(path.join(this.#stateDir, 'logs'), KEEP_LOGS);
    await keepNewest(path.join(this.#stateDir, 'journal'), KEEP_JOURNALS);
  }
}

async function keepNewest(folder: string, count: number): Promise<void> {
  if (!fs.existsSync(folder)) return;
  const names = fs.readdirSync(folder).sort().reverse();
  for (const name of names.slice(count)) await removeTree(path.join(folder, name));
}
