// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { cleanEnv } from './pipeline-run.js';

/**
 * Types lines into a shell in which nothing of JAX is set. Each returns its standard output, and throws if it fails.
 */
export function userShell(cwd: string): (line: string) => string {
  const inherited = Object.entries(cleanEnv()).filter(([name]) => !/^(JAX|IREE|PJRT|XLA)_/.test(name));
  return (line) =>
    execFileSync('bash', ['-c', line], {
      cwd,
      encoding: 'utf8',
      env: Object.fromEntries(inherited),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 5 * 60_000,
    });
}
