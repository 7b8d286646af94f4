// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../../../engine/api.js';

/** Raised when the code here would find other results from the same tests. */
const FORMAT = 1;
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Results of parts of a long run, such as a file of tests, kept under all that they depend on. A run that was ended goes
 * on where it stopped, and what has not changed is not run again.
 */
export class KeptResults<Result> {
  readonly #folder: string;

  constructor(workDir: string) {
    this.#folder = path.join(workDir, 'results');
  }

  async find(key: JsonObject): Promise<Result | undefined> {
    const file = this.#path(key);
    try {
      const found = JSON.parse(await readFile(file, 'utf8')) as { readonly result: Result };
      await utimes(file, new Date(), new Date());
      return found.result;
    } catch {
      return undefined;
    }
  }

  async keep(key: JsonObject, result: Result): Promise<void> {
    const file = this.#path(key);
    await mkdir(this.#folder, { recursive: true });
    await writeFile(`${file}.part`, JSON.stringify({ key, result }));
    await rename(`${file}.part`, file);
  }

  /** Removes what nobody has asked for in a month. */
  async prune(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const file = path.join(this.#folder, name);
      if (Date.now() - (await stat(file)).mtimeMs > KEPT_MS) await rm(file, { force: true });
    }
  }

  #path(key: JsonObject): string {
    const ordered = JSON.stringify({ FORMAT, ...Object.fromEntries(Object.entries(key).sort()) });
    return path.join(this.#folder, `${createHash('sha256').update(ordered).digest('hex')}.json`);
  }
}
