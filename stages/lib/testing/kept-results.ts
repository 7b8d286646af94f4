// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject, StageContext } from '../../../engine/api.js';
import { sha256 } from '../hash.js';

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
    return path.join(this.#folder, `${sha256(ordered)}.json`);
  }
}

/** All that is installed, and the Python it is installed in. */
const INSTALLED = `
import sys
from importlib import metadata
print(sys.version, sorted((d.name, d.version) for d in metadata.distributions()))`;

/** What results depend on of an environment, as a part of their key. */
export async function installedIdentity(context: StageContext, python: string): Promise<string> {
  return sha256((await context.exec(python, ['-c', INSTALLED], { echo: false })).stdout);
}
