// SPDX-License-Identifier: Apache-2.0
/** What the environment says of a shared cache: parsed once, refused with a name and never with a value. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { fail } from '../failure.js';

export interface RemoteOptions {
  /** Ends with a slash; holds no login. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly readOnly: boolean;
  readonly limits: Limits;
}

export interface Limits {
  /** Milliseconds until the first byte of an answer. */
  readonly answerMs: number;
  /** Milliseconds without a byte of a transfer. */
  readonly stallMs: number;
  /** Milliseconds that a transfer of nothing may take. */
  readonly transferMs: number;
  /** Further milliseconds for each MiB. */
  readonly transferMsPerMiB: number;
}

const LIMITS: Limits = { answerMs: 10_000, stallMs: 20_000, transferMs: 30_000, transferMsPerMiB: 4_000 };

const URL_VARIABLE = 'PIPELINE_REMOTE_CACHE';
const TOKEN = 'PIPELINE_REMOTE_CACHE_TOKEN';
const HEADERS = 'PIPELINE_REMOTE_CACHE_HEADERS';
const READ_ONLY = 'PIPELINE_REMOTE_CACHE_READ_ONLY';

type Environment = Readonly<Record<string, string | undefined>>;

/** undefined: no shared cache is wanted. */
export function remoteOptions(env: Environment, limits: Partial<Limits> = {}): RemoteOptions | undefined {
  const text = env[URL_VARIABLE]?.trim() ?? '';
  if (text === '') return undefined;
  const url = parseUrl(text);
  const headers = { ...loginOf(url), ...tokenOf(env), ...headersOf(env) };
  url.username = '';
  url.password = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return { url, headers, readOnly: readOnlyOf(env), limits: { ...LIMITS, ...limits } };
}

/** The environment for stages and their programs, which may print it: it lacks what opens the shared cache. */
export function withoutRemoteCache(env: Environment): Environment {
  const secrets = new Set([URL_VARIABLE, TOKEN, HEADERS, READ_ONLY]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secrets.has(name)));
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return refuse(`${URL_VARIABLE} is not a URL of http or https`, 'give one like https://cache.example.org/pipeline/');
  if (url.search !== '' || url.hash !== '')
    return refuse(`${URL_VARIABLE} has a query or fragment`, `give a login with ${TOKEN} or ${HEADERS}`);
  return url;
}

function loginOf(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

function tokenOf(env: Environment): Record<string, string> {
  const token = env[TOKEN]?.trim() ?? '';
  return token === '' ? {} : { authorization: checked('authorization', `Bearer ${token}`, TOKEN) };
}

/** `Name: value`, one a line. */
function headersOf(env: Environment): Record<string, string> {
  const lines = (env[HEADERS] ?? '').split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line, index) => {
      const colon = line.indexOf(':');
      const where = `${HEADERS}, line ${index + 1}`;
      if (colon < 1) return refuse(`${where} is not a header`, 'write "Name: value", one header a line');
      const name = line.slice(0, colon).trim().toLowerCase();
      return [name, checked(name, line.slice(colon + 1).trim(), where)];
    }),
  );
}

/** Checked here, because the error that a bad value gives later would quote it. */
function checked(name: string, value: string, where: string): string {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return value;
  } catch {
    return refuse(`${where} cannot be sent as a header`, 'it holds a character that HTTP does not allow there');
  }
}

function readOnlyOf(env: Environment): boolean {
  const text = env[READ_ONLY]?.trim().toLowerCase() ?? '';
  if (['', '0', 'false'].includes(text)) return false;
  if (['1', 'true'].includes(text)) return true;
  return refuse(`${READ_ONLY} is neither 1 nor 0`, 'set it to 1 to read from the shared cache and never write to it');
}

function refuse(message: string, help: string): never {
  return fail({ kind: 'usage', message, help });
}
