// SPDX-License-Identifier: Apache-2.0
import type { StageContext } from '../../engine/api.js';
import { clientEnv } from './client-env.js';

/** pip's settings that uv has under another name; uv reads neither pip.conf nor PIP_*. */
const RENAMED: Readonly<Record<string, string>> = {
  'index-url': 'UV_DEFAULT_INDEX',
  'extra-index-url': 'UV_INDEX',
  'find-links': 'UV_FIND_LINKS',
  'trusted-host': 'UV_INSECURE_HOST',
  cert: 'SSL_CERT_FILE',
  'no-index': 'UV_NO_INDEX',
  timeout: 'UV_HTTP_TIMEOUT',
  'default-timeout': 'UV_HTTP_TIMEOUT',
};

/** Older names of the same uv settings: a user who set one of them has decided. */
const OLDER: Readonly<Record<string, readonly string[]>> = {
  UV_DEFAULT_INDEX: ['UV_INDEX_URL'],
  UV_INDEX: ['UV_EXTRA_INDEX_URL'],
};

/**
 * Environment that gives uv what a user told pip, from the output of `pip config list`.
 * What is already set for uv itself wins.
 */
export function uvSettings(
  pipConfigList: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const settings: Record<string, { value: string; rank: number }> = {};
  for (const line of pipConfigList.split('\n')) {
    const match = /^([^.]+)\.([a-z-]+)='(.*)'$/.exec(line.trim());
    const name = match?.[2] === undefined ? undefined : RENAMED[match[2]];
    if (!match || name === undefined) continue;
    if ([name, ...(OLDER[name] ?? [])].some((variable) => env[variable] !== undefined)) continue;
    // pip lets the environment win over `[install]`, and that over `[global]`.
    const rank = { ':env:': 3, install: 2, global: 1 }[match[1] ?? ''] ?? 0;
    if (rank === 0 || (settings[name]?.rank ?? 0) > rank) continue;
    settings[name] = { value: valueFor(name, match[3] ?? ''), rank };
  }
  return Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]));
}

function valueFor(name: string, value: string): string {
  const parts = value
    .split(/\\n|\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return name === 'UV_FIND_LINKS' ? parts.join(',') : parts.join(' ');
}

/** What uv has to be told of the settings that `python`'s pip obeys. Never stored: it may hold a password. */
export async function uvEnvironment(
  context: Pick<StageContext, 'exec'>,
  python: string,
): Promise<Record<string, string>> {
  const { stdout } = await context.exec(python, ['-m', 'pip', 'config', 'list'], { echo: false });
  return uvSettings(stdout, clientEnv());
}
