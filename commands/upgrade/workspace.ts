// SPDX-License-Identifier: Apache-2.0
/**
 * A copy of the project's files in which an upgrade is tried: nothing of the user's is changed. Tools, sources and
 * results come from the project's own cache, so that only what differs is made.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fail } from '../../engine/failure.js';
import type { Exec } from './children.js';

/** Files that an upgrade may change. */
const UPGRADED = [
  'pipeline.yaml',
  'pipeline.lock.yaml',
  'compat/iree.yaml',
  'compat/jaxlib.yaml',
  'compat/pjrt-headers.yaml',
];
const NO_REPOSITORY = 128;
/** Folder of copies of those files, as they were when the workspace was made. */
const ORIGINALS = '.upgrade-originals';

export class Workspace {
  readonly #project: string;
  readonly root: string;

  /** `name` is that of a folder below .pipeline/upgrade. */
  constructor(project: string, name: string) {
    this.#project = project;
    this.root = path.join(project, '.pipeline', 'upgrade', name);
  }

  /** Makes the copy anew, whatever an earlier try left. */
  async make(exec: Exec): Promise<void> {
    const files = await this.#files(exec);
    fs.rmSync(this.root, { recursive: true, force: true });
    for (const file of files) this.#copy(path.join(this.#project, file), path.join(this.root, file));
    for (const shared of ['node_modules', path.join('.pipeline', 'cache'), path.join('.pipeline', 'work', 'zig-cache')])
      this.#link(shared);
    for (const file of UPGRADED) this.#copy(path.join(this.#project, file), path.join(this.root, ORIGINALS, file));
  }

  read(file: string): string {
    return fs.readFileSync(path.join(this.root, file), 'utf8');
  }

  write(file: string, text: string): void {
    fs.writeFileSync(path.join(this.root, file), text);
  }

  /** The files that the upgrade changed. */
  changed(): string[] {
    return UPGRADED.filter((file) => textOf(path.join(this.root, file)) !== this.#original(file));
  }

  /**
   * Copies the changed files into the project. Fails, and changes nothing, if one of them was edited there meanwhile.
   */
  apply(): readonly string[] {
    if (!fs.existsSync(this.root)) {
      return fail({
        kind: 'usage',
        message: 'this upgrade has not been tried yet',
        help: 'run it without --apply first, and read its report',
      });
    }
    const files = this.changed();
    const edited = files.filter((file) => textOf(path.join(this.#project, file)) !== this.#original(file));
    if (edited.length > 0) {
      fail({
        kind: 'usage',
        message: `edited since the upgrade was tried: ${edited.join(', ')}`,
        help: 'run it again without --apply: it begins with the files as they are now',
      });
    }
    for (const file of files) this.#copy(path.join(this.root, file), path.join(this.#project, file));
    return files;
  }

  #original(file: string): string | undefined {
    return textOf(path.join(this.root, ORIGINALS, file));
  }

  /** The files that git knows, and new ones that it does not ignore. */
  async #files(exec: Exec): Promise<string[]> {
    const { stdout } = await exec('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
      cwd: this.#project,
      okCodes: [0, NO_REPOSITORY],
    });
    const files = stdout.split('\0').filter((file) => file !== '' && file !== 'node_modules');
    // git also lists no file where the repository around the folder ignores it.
    if (files.includes('pipeline.yaml')) return files;
    return fail({
      kind: 'usage',
      message: `git knows nothing of ${this.#project}`,
      help: 'an upgrade is tried on a copy of the files that git knows: work in a clone, or run `git init` here',
    });
  }

  #copy(from: string, to: string): void {
    // A file that was deleted may still be in git's index.
    if (!fs.existsSync(from)) return;
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.copyFileSync(from, to);
    fs.chmodSync(to, fs.statSync(from).mode);
  }

  #link(name: string): void {
    const from = path.join(this.#project, name);
    if (!fs.existsSync(from)) return;
    fs.mkdirSync(path.dirname(path.join(this.root, name)), { recursive: true });
    fs.symlinkSync(fs.realpathSync(from), path.join(this.root, name));
  }
}

function textOf(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}
