// SPDX-License-Identifier: Apache-2.0

/**
 * The environment by which package clients are led: proxies, certificates, indexes. Children inherit it;
 * this is for the connections and the translations of settings that we make ourselves. It is in no key:
 * how a file is reached does not matter, since what arrives is checked against the lock.
 */
export function clientEnv(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
