// SPDX-License-Identifier: Apache-2.0
/** A shared cache on the loopback that can be told to misbehave. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type Manner =
  | 'well'
  /** Ends every connection without an answer. */
  | 'dead'
  /** Takes the request and never answers. */
  | 'silent'
  /** Sends half an archive, then nothing more. */
  | 'stands still'
  /** Sends half an archive, then ends the connection. */
  | 'half'
  /** Like `half`, the first time only. */
  | 'half once'
  /** Half an archive, announced as the whole. */
  | 'short'
  /** Never stops sending. */
  | 'endless'
  /** A page for people, whatever is asked for. */
  | 'login page'
  /** The record of another key. */
  | 'mixed up'
  | 'redirects'
  | 'refuses'
  | 'refuses to write'
  | 'takes no large file'
  | 'fails'
  /** 500, the first time only. */
  | 'fails once';

export class CacheServer {
  manner: Manner = 'well';
  /** Path (`ac/…`, `cas/…`) → content. */
  readonly files = new Map<string, Buffer>();
  /** `PUT ac/…`, in the order they came. */
  readonly requests: string[] = [];
  readonly headers: http.IncomingHttpHeaders[] = [];
  /** Most uploads at one time. */
  mostUploads = 0;
  #uploads = 0;
  #troubles = 0;
  readonly #server = http.createServer((request, response) => {
    void this.#answer(request, response);
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/shared/`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  named(start: string): string[] {
    return [...this.files.keys()].filter((name) => name.startsWith(start));
  }

  corrupt(how: 'flip' | 'truncate' | 'delete', start = 'cas/'): void {
    for (const name of this.named(start)) {
      const bytes = Buffer.from(this.files.get(name) ?? '');
      const middle = Math.floor(bytes.length / 2);
      if (how === 'delete') this.files.delete(name);
      else if (how === 'truncate') this.files.set(name, bytes.subarray(0, middle));
      else {
        bytes.writeUInt8(bytes.readUInt8(middle) ^ 0xff, middle);
        this.files.set(name, bytes);
      }
    }
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const name = url.replace('/shared/', '');
    this.requests.push(`${method} ${name}`);
    this.headers.push(request.headers);
    if (this.#refuses(method, response)) return;
    if (method === 'PUT') await this.#take(name, request, response);
    else if (method === 'DELETE') response.writeHead(this.files.delete(name) ? 204 : 404).end();
    else this.#give(name, method, response);
  }

  /** Answers as the manner says, if it says anything of requests like this. */
  #refuses(method: string, response: http.ServerResponse): boolean {
    const status = {
      fails: 500,
      'fails once': this.#troubles === 0 ? 500 : undefined,
      refuses: 403,
      'refuses to write': method === 'PUT' ? 403 : undefined,
    } as Partial<Record<Manner, number>>;
    const refused = status[this.manner];
    if (this.manner === 'dead') response.destroy();
    else if (this.manner === 'redirects') response.writeHead(302, { location: '/elsewhere' }).end();
    else if (this.manner === 'login page') response.end('<!DOCTYPE html><title>Log in</title>');
    else if (refused !== undefined) {
      this.#troubles += 1;
      response.writeHead(refused).end('secret-of-the-server');
    } else return this.manner === 'silent';
    return true;
  }

  async #take(name: string, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    this.#uploads += 1;
    this.mostUploads = Math.max(this.mostUploads, this.#uploads);
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return; // The client went away: nothing is kept.
    } finally {
      this.#uploads -= 1;
    }
    const bytes = Buffer.concat(parts);
    if (this.manner === 'takes no large file' && bytes.length > 1_000) {
      response.writeHead(413).end();
      return;
    }
    if (Number(request.headers['content-length']) !== bytes.length) {
      response.writeHead(411).end();
      return;
    }
    this.files.set(name, bytes);
    response.writeHead(201).end();
  }

  #give(name: string, method: string, response: http.ServerResponse): void {
    const other = this.manner === 'mixed up' ? this.named('ac/').find((known) => known !== name) : undefined;
    const bytes = this.files.get(other ?? name);
    if (bytes === undefined) response.writeHead(404).end();
    else if (method === 'HEAD' || !name.startsWith('cas/')) response.end(bytes);
    else this.#giveArchive(bytes, response);
  }

  #giveArchive(bytes: Buffer, response: http.ServerResponse): void {
    const half = bytes.subarray(0, Math.floor(bytes.length / 2));
    const cut = this.manner === 'half' || (this.manner === 'half once' && this.#troubles === 0);
    if (cut || this.manner === 'stands still') {
      this.#troubles += 1;
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(half, () => {
        if (cut) response.destroy();
      });
    } else if (this.manner === 'short') response.end(half);
    else if (this.manner === 'endless') endless(response);
    else response.end(bytes);
  }
}

function endless(response: http.ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 7)));
  };
  response.on('drain', more);
  more();
}
