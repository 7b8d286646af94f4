// SPDX-License-Identifier: Apache-2.0
/** A page that lists wheels, and the wheels, from a server that can be told to misbehave. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { sha256 } from '../../stages/lib/hash.js';
import { BlobReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';

export type Manner =
  /** Serves byte ranges. */
  | 'ranges'
  /** Ignores the Range header. */
  | 'whole'
  /** Cuts each answer to a range after some bytes. */
  | 'cut'
  /** Like `cut`, for the first two ranges only. */
  | 'cut-twice'
  /** Serves ranges of other bytes. */
  | 'corrupt'
  /** Wants a login for ranges. */
  | 'login'
  /** Ends every connection without an answer. */
  | 'dead';

export class WheelServer {
  manner: Manner = 'ranges';
  /** Kind of each request for a wheel. */
  readonly requests: ('range' | 'whole')[] = [];
  readonly #folder: string;
  readonly #server: http.Server;

  constructor(folder: string) {
    this.#folder = folder;
    this.#server = http.createServer((request, response) => {
      this.#answer(request, response);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/index.html`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    const name = path.basename(request.url ?? '');
    if (name === 'index.html') {
      const files = fs.readdirSync(this.#folder).filter((file) => file.endsWith('.whl'));
      const links = files.map((file) => `<a href="${file}#sha256=${this.#hash(file)}">${file}</a>`);
      response
        .setHeader('content-type', 'text/html')
        .end(`<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`);
      return;
    }
    const { range } = request.headers;
    this.requests.push(range === undefined ? 'whole' : 'range');
    const bytes = fs.readFileSync(path.join(this.#folder, name));
    const cut = range !== undefined && this.#cuts();
    if (this.manner === 'dead') response.destroy();
    else if (range === undefined || this.manner === 'whole') send(response, 200, {}, bytes, cut);
    else if (this.manner === 'login') response.writeHead(401).end();
    else {
      const content =
        this.manner === 'corrupt' ? Buffer.from(bytes.map((byte, at) => (at % 7 === 3 ? byte ^ 1 : byte))) : bytes;
      sendRange(response, range, content, cut);
    }
  }

  #cuts(): boolean {
    const ranges = this.requests.filter((kind) => kind === 'range').length;
    return this.manner === 'cut' || (this.manner === 'cut-twice' && ranges <= 2);
  }

  #hash(file: string): string {
    return sha256(fs.readFileSync(path.join(this.#folder, file)));
  }
}

function sendRange(response: http.ServerResponse, range: string, bytes: Buffer, cut: boolean): void {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1);
  const headers = { 'content-range': `bytes ${start}-${end}/${bytes.length}` };
  send(response, 206, headers, bytes.subarray(start, end + 1), cut);
}

function send(
  response: http.ServerResponse,
  status: number,
  headers: http.OutgoingHttpHeaders,
  bytes: Buffer,
  cut: boolean,
): void {
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  if (!cut) {
    response.end(bytes);
    return;
  }
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

/** Writes a wheel that pip takes; returns its path. */
export async function writeWheel(
  folder: string,
  name: string,
  version: string,
  members: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const info = `${name}-${version}.dist-info`;
  const metadata = {
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: '',
  };
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [file, content] of Object.entries({ ...members, ...metadata })) {
    await zip.add(file, new BlobReader(new Blob([content])), { level: file.endsWith('.bin') ? 0 : 6 });
  }
  const target = path.join(folder, `${name}-${version}-py3-none-any.whl`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(target, await zip.close());
  return target;
}
