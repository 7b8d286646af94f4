// SPDX-License-Identifier: Apache-2.0
/** Files on an HTTP server: GET, HEAD, PUT and DELETE with bounds on time, and one retry. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits, RemoteOptions } from './remote-options.js';
import { CacheUnreachableError } from './store.js';

const RETRY_MS = 250;
const MIB = 1024 * 1024;

/** What a request sends; made anew for a retry. */
interface Content {
  readonly bytes: number;
  read(): AsyncIterable<Uint8Array>;
}

export interface Digest {
  readonly sha256: string;
  readonly size: number;
}

export class RemoteClient {
  readonly #options: RemoteOptions;
  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** undefined: there is no such file, or it is longer than `maxBytes`. */
  async getText(name: string, maxBytes: number, signal?: AbortSignal): Promise<string | undefined> {
    return this.#send({ method: 'GET', name, signal }, async (response, watch) => {
      if (isAbsent(response)) return undefined;
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of bodyOf(response)) {
        watch.alive();
        size += chunk.length;
        if (size > maxBytes) return undefined;
        parts.push(chunk);
      }
      return Buffer.concat(parts).toString('utf8');
    });
  }

  /** Writes a file into `target`, at most `maxBytes` of it. undefined: there is no such file. */
  async getFile(name: string, target: string, maxBytes: number, signal?: AbortSignal): Promise<Digest | undefined> {
    return this.#send({ method: 'GET', name, signal, bytes: maxBytes }, async (response, watch) => {
      if (isAbsent(response)) return undefined;
      const hash = createHash('sha256');
      let size = 0;
      const out = await fs.promises.open(target, 'w');
      try {
        for await (const chunk of bodyOf(response)) {
          watch.alive();
          size += chunk.length;
          if (size > maxBytes) break;
          hash.update(chunk);
          await out.write(chunk);
        }
      } finally {
        await out.close();
      }
      return { sha256: hash.digest('hex'), size };
    });
  }

  /** False only if the server says that there is no such file. */
  async exists(name: string): Promise<boolean> {
    return this.#send({ method: 'HEAD', name }, (response) => Promise.resolve(!isAbsent(response)));
  }

  async putText(name: string, text: string, signal?: AbortSignal): Promise<void> {
    const bytes = Buffer.from(text);
    // eslint-disable-next-line @typescript-eslint/require-await -- a body is read as an async iterable
    const read = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes;
    };
    await this.#put(name, { bytes: bytes.length, read }, signal);
  }

  async putFile(name: string, file: string, signal?: AbortSignal): Promise<void> {
    const { size } = await fs.promises.stat(file);
    await this.#put(name, { bytes: size, read: () => fs.createReadStream(file, { highWaterMark: MIB }) }, signal);
  }

  /** Servers that keep what they have may refuse. */
  async remove(name: string): Promise<void> {
    await this.#send({ method: 'DELETE', name }, () => Promise.resolve());
  }

  async #put(name: string, content: Content, signal: AbortSignal | undefined): Promise<void> {
    const put = async (): Promise<number> =>
      this.#send({ method: 'PUT', name, signal, content, bytes: content.bytes }, ({ status }) =>
        Promise.resolve(status),
      );
    let status = await put();
    // A WebDAV server does not make the folder of a new file.
    if (status === 409 || status === 404) {
      const folder = name.slice(0, name.lastIndexOf('/') + 1);
      await this.#send({ method: 'MKCOL', name: folder, signal }, () => Promise.resolve());
      status = await put();
    }
    // The server refuses this file only: others may be smaller.
    if (status === 413) throw new Error(`the shared cache takes no file of ${content.bytes} bytes (413)`);
    if (status >= 400) throw new CacheUnreachableError(`it answers ${status} to PUT ${name}`);
  }

  async #send<T>(request: Request, use: (response: Response, watch: Watch) => Promise<T>): Promise<T> {
    try {
      return await this.#once(request, use);
    } catch (error) {
      if (!(error instanceof PassingError)) throw error;
      await sleep(RETRY_MS, undefined, request.signal === undefined ? {} : { signal: request.signal });
      return await this.#once(request, use);
    }
  }

  async #once<T>(request: Request, use: (response: Response, watch: Watch) => Promise<T>): Promise<T> {
    const { method, name, content, signal } = request;
    const watch = new Watch(this.#options.limits, request.bytes ?? 0, signal);
    try {
      const { headers } = this.#options;
      const response = await fetch(new URL(name, this.#options.url), {
        method,
        redirect: 'manual',
        signal: watch.signal,
        headers: content === undefined ? headers : { ...headers, 'content-length': String(content.bytes) },
        ...(content === undefined ? {} : { body: ReadableStream.from(watched(content, watch)), duplex: 'half' }),
      });
      watch.alive();
      judge(response, method);
      return await use(response, watch).finally(() => response.body?.cancel().catch(() => undefined));
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason as Error;
      if (watch.signal.aborted) throw watch.signal.reason as Error;
      // fetch wraps what went wrong with the connection; anything else is not ours to explain.
      if (error instanceof TypeError) throw new PassingError(causeOf(error), { cause: error });
      throw error;
    } finally {
      watch.end();
    }
  }
}

interface Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE' | 'MKCOL';
  /** Relative to the cache's URL. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly content?: Content;
  /** Bytes that should move in either direction, for the time limit. */
  readonly bytes?: number;
}

/** An error that the next try may not meet. */
class PassingError extends CacheUnreachableError {}

/** Aborts a request that does not answer, stands still or takes too long. */
class Watch {
  readonly signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #limits: Limits;
  readonly #whole: NodeJS.Timeout;
  #still: NodeJS.Timeout;

  constructor(limits: Limits, bytes: number, outer: AbortSignal | undefined) {
    this.#limits = limits;
    this.signal = outer === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, outer]);
    const wholeMs = limits.transferMs + (bytes / MIB) * limits.transferMsPerMiB;
    this.#whole = this.#after(wholeMs, `a transfer took more than ${seconds(wholeMs)}`);
    this.#still = this.#after(limits.answerMs, `no answer within ${seconds(limits.answerMs)}`);
  }

  /** Says that something moved. */
  alive(): void {
    clearTimeout(this.#still);
    if (!this.signal.aborted)
      this.#still = this.#after(this.#limits.stallMs, `nothing came for ${seconds(this.#limits.stallMs)}`);
  }

  end(): void {
    clearTimeout(this.#still);
    clearTimeout(this.#whole);
  }

  #after(ms: number, why: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#stop.abort(new CacheUnreachableError(why));
    }, ms);
  }
}

async function* watched(content: Content, watch: Watch): AsyncGenerator<Uint8Array> {
  for await (const chunk of content.read()) {
    watch.alive();
    yield chunk;
  }
}

/** Throws for answers that say nothing of the file itself. */
function judge(response: Response, method: Request['method']): void {
  const { status } = response;
  const what = `${status} ${response.statusText}`.trim();
  if (status >= 500 || status === 429 || status === 408) throw new PassingError(`it answers ${what}`);
  if (status === 401 || status === 403 || status === 407)
    throw new CacheUnreachableError(`it answers ${what}: check PIPELINE_REMOTE_CACHE_TOKEN or …_HEADERS`);
  if (status >= 300 && status < 400)
    throw new CacheUnreachableError(`it answers ${what}: give the URL it redirects to`);
  const expected = status < 300 || isAbsent(response) || method !== 'GET';
  if (!expected) throw new CacheUnreachableError(`it answers ${what}`);
}

function isAbsent(response: Response): boolean {
  return response.status === 404 || response.status === 410;
}

function bodyOf(response: Response): AsyncIterable<Uint8Array> {
  return (response.body ?? []) as AsyncIterable<Uint8Array>;
}

function causeOf(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
