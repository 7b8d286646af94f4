// SPDX-License-Identifier: Apache-2.0
/** WsgiDAV, a WebDAV server, on the loopback, with a login. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { createInterface } from 'node:readline';

const REQUIREMENTS = ['wsgidav==4.4.0', 'cheroot==11.1.2'];

export const LOGIN = { user: 'ci', password: 'dav-secret' };

export class DavServer {
  /** Without a login. */
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Installs it below `folder` with `python`'s pip; its files lie in `<folder>/files`. */
  static async start(python: string, folder: string, port: number): Promise<DavServer> {
    const [packages, files, config] = [`${folder}/packages`, `${folder}/files`, `${folder}/config.json`];
    fs.mkdirSync(files, { recursive: true });
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', packages];
    execFileSync(python, [...install, ...REQUIREMENTS]);
    const settings = {
      host: '127.0.0.1',
      port,
      provider_mapping: { '/': files },
      http_authenticator: { accept_basic: true, accept_digest: false, default_to_digest: false },
      simple_dc: { user_mapping: { '*': { [LOGIN.user]: { password: LOGIN.password } } } },
      verbose: 3,
    };
    fs.writeFileSync(config, JSON.stringify(settings));
    const child = spawn(python, ['-m', 'wsgidav.server.server_cli', '--config', config], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PYTHONPATH: packages },
    });
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => {
        reject(new Error(`the server ended with ${code}: ${said.join('\n')}`));
      });
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on('line', (line) => {
          said.push(line);
          if (line.includes('Serving on')) resolve();
        });
    });
    return new DavServer(`http://127.0.0.1:${port}/`, child);
  }

  stop(): void {
    this.#child.kill();
  }
}
