// SPDX-License-Identifier: Apache-2.0

/**
 * The environment that leads package clients: proxies, certificates, indexes. Children inherit it; here it serves the
 * connections that we make ourselves and the translation of settings. It is in no key: how a file is reached does not
 * matter, since what arrives is checked against the lock.
 */
export function clientEnv(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
