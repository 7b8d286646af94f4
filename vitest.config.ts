// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

export default defineConfig({
  test: {
    projects: [
      // Quick and pure: the set-up file makes spawning and connecting throw.
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          setupFiles: ['test/unit/setup.ts'],
          // Seconds, if the machine has nothing else to do.
          testTimeout: MINUTE,
        },
      },
      // The same suite for every cache store, every stage; real processes, no network.
      { test: { name: 'contract', include: ['test/contract/**/*.test.ts'], testTimeout: 2 * MINUTE } },
      // The real thing: downloads, compilers, JAX.
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 20 * MINUTE,
          hookTimeout: 20 * MINUTE,
          fileParallelism: false,
        },
      },
    ],
  },
});
