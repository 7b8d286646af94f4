// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import { LayeredStore } from './layered-store.js';
import { LocalStore } from './local-store.js';
import { remoteOptions } from './remote-options.js';
import { RemoteStore } from './remote-store.js';
import type { CacheStore } from './store.js';

/** The stores that the environment asks for: one on this machine, and a shared one behind it. */
export function openStore(from: {
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (text: string) => void;
}): CacheStore {
  const dir = from.env['PIPELINE_CACHE_DIR'] ?? '';
  const local = new LocalStore({ dir: dir === '' ? path.join(from.stateDir, 'cache') : dir });
  const options = remoteOptions(from.env);
  if (options === undefined) return local;
  const remote = new RemoteStore(options, local.tempDir);
  return new LayeredStore({ local, remote, name: options.url.href, warn: from.warn });
}
