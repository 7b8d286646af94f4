// SPDX-License-Identifier: Apache-2.0
/** A package index (pypiserver) on the loopback, as twine and pip see one. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { createInterface } from 'node:readline';

const REQUIREMENT = 'pypiserver[passlib]==2.4.2';

export class PackageIndex {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Starts one on a free port that keeps its files in `folder`, which is made; `python` has pip. */
  static async start(python: string, folder: string, port: number): Promise<PackageIndex> {
    fs.mkdirSync(folder, { recursive: true });
    const packages = `${folder}.packages`;
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', packages];
    execFileSync(python, [...install, REQUIREMENT]);
    const alone = ['-P', '.', '-a', '.', '--disable-fallback'];
    const serve = ['-m', 'pypiserver', 'run', '-i', '127.0.0.1', '-p', String(port), ...alone, folder];
    const child = spawn(python, serve, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PYTHONPATH: packages },
    });
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => {
        reject(new Error(`the index ended with ${code}: ${said.join('\n')}`));
      });
      createInterface({ input: child.stderr }).on('line', (line) => {
        said.push(line);
        if (line.startsWith('Listening on')) resolve();
      });
    });
    return new PackageIndex(`http://127.0.0.1:${port}/`, child);
  }

  stop(): void {
    this.#child.kill();
  }
}
