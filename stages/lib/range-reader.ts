// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { rootCertificates } from 'node:tls';
import { Reader } from '@zip.js/zip.js';
import { ConnectionFault, withRetries, type RetryOptions } from './retry.js';

/** The server has no byte ranges (or wants a login): the whole file has to be fetched by the package's client. */
export class RangesRefused extends Error {
  override readonly name = 'RangesRefused';
}

export interface RangeReaderOptions extends RetryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds without a byte after which a connection counts as broken. */
  readonly idleMs?: number;
}

const IDLE_MS = 30_000;
/** Zip readers ask for many small pieces near each other: one request fetches this much. */
const CHUNK = 256 * 1024;

/** Reads parts of a file on a web server, for @zip.js/zip.js. Follows no redirect to a place without ranges. */
export class RangeReader extends Reader<string> {
  override size = 0;
  readonly #url: string;
  readonly #options: RangeReaderOptions;
  readonly #agent: http.Agent;
  #cache: { readonly start: number; readonly bytes: Uint8Array } | undefined;

  constructor(url: string, options: RangeReaderOptions) {
    super(url);
    this.#url = url;
    this.#options = options;
    this.#agent = agentFor(url, options.env);
  }

  override async init(): Promise<void> {
    // The end of a zip is read first anyway, and its answer tells the size.
    const { bytes, total } = await this.#fetch(`bytes=-${CHUNK}`);
    this.size = total;
    this.#cache = { start: total - bytes.length, bytes };
    await super.init?.();
  }

  override async readUint8Array(offset: number, length: number): Promise<Uint8Array> {
    const wanted = Math.min(length, this.size - offset);
    const hit = this.#cache;
    if (hit && offset >= hit.start && offset + wanted <= hit.start + hit.bytes.length) {
      return hit.bytes.subarray(offset - hit.start, offset - hit.start + wanted);
    }
    const end = Math.min(this.size, offset + Math.max(wanted, CHUNK)) - 1;
    const { bytes } = await this.#fetch(`bytes=${offset}-${end}`);
    if (bytes.length < wanted) throw new ConnectionFault(`the server sent ${bytes.length} bytes instead of ${wanted}`);
    this.#cache = { start: offset, bytes };
    return bytes.subarray(0, wanted);
  }

  close(): void {
    this.#agent.destroy();
  }

  #fetch(range: string): Promise<{ bytes: Uint8Array; total: number }> {
    return withRetries('range read', this.#options, () => this.#request(this.#url, range, 3));
  }

  #request(url: string, range: string, redirects: number): Promise<{ bytes: Uint8Array; total: number }> {
    const { signal, idleMs } = this.#options;
    const client = url.startsWith('https:') ? https : http;
    return new Promise((resolve, reject) => {
      const fault = (error: Error): void => {
        reject(signal.aborted ? error : new ConnectionFault(error.message));
      };
      const request = client.get(
        url,
        { agent: this.#agent, headers: { range }, signal, timeout: idleMs ?? IDLE_MS },
        (response) => {
          response.on('error', fault);
          const status = response.statusCode ?? 0;
          const { location } = response.headers;
          if (status >= 300 && status < 400 && location !== undefined && redirects > 0) {
            response.resume();
            this.#request(new URL(location, url).href, range, redirects - 1).then(resolve, reject);
            return;
          }
          const total = /^bytes \d+-\d+\/(\d+)$/.exec(response.headers['content-range'] ?? '')?.[1];
          if (status !== 206 || total === undefined) {
            request.destroy();
            reject(status >= 500 ? new ConnectionFault(`status ${status}`) : new RangesRefused(`status ${status}`));
            return;
          }
          collect(
            response,
            (bytes) => {
              resolve({ bytes, total: Number(total) });
            },
            fault,
          );
        },
      );
      request.on('timeout', () => request.destroy(new Error('the server fell silent')));
      request.on('error', fault);
    });
  }
}

function collect(
  response: http.IncomingMessage,
  done: (bytes: Uint8Array) => void,
  fault: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('aborted', () => {
    fault(new Error('the connection was cut'));
  });
  response.on('end', () => {
    const bytes = Buffer.concat(chunks);
    const promised = response.headers['content-length'];
    if (promised !== undefined && Number(promised) !== bytes.length) fault(new Error('the answer was cut short'));
    else done(bytes);
  });
}

/**
 * A user's own certificate authorities. pip and OpenSSL name them in the environment; Node reads only a variable of its
 * own.
 */
function agentFor(url: string, env: RangeReaderOptions['env']): http.Agent {
  const options = { keepAlive: true, maxSockets: 4 };
  if (!url.startsWith('https:')) return new http.Agent(options);
  const bundles = ['PIP_CERT', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => {
    try {
      return env[name] ? [readFileSync(env[name], 'utf8')] : [];
    } catch {
      return [];
    }
  });
  return new https.Agent(
    bundles.length === 0 ? options : { ...options, ca: [...rootCertificates, ...new Set(bundles)] },
  );
}

/** Whether a proxy is set for this URL: Node cannot use it, pip can. */
export function needsProxy(url: string, env: RangeReaderOptions['env']): boolean {
  const scheme = new URL(url).protocol.replace(':', '');
  const names = [`${scheme}_proxy`, `${scheme.toUpperCase()}_PROXY`, 'all_proxy', 'ALL_PROXY', 'PIP_PROXY'];
  if (!names.some((name) => (env[name] ?? '') !== '')) return false;
  const { hostname } = new URL(url);
  const direct = (env['no_proxy'] ?? env['NO_PROXY'] ?? '')
    .split(',')
    .map((entry) => entry.trim().replace(/^\*?\./, ''));
  return !direct.some(
    (entry) => entry === '*' || (entry !== '' && (hostname === entry || hostname.endsWith(`.${entry}`))),
  );
}
