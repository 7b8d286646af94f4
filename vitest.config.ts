// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const MINUTE = 60_000;

/**
 * Files that take minutes begin first, so that no core waits at the end; vitest would order them by size. What
 * `faults` and `matrix` make, `variants`, `releases` and `ci` take.
 */
const LONGEST = ['faults', 'matrix', 'asan', 'variants', 'at-head', 'ci', 'jax-tests'].map((name) => `${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number =>
      [...LONGEST, path.basename(moduleId)].indexOf(path.basename(moduleId));
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
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
          globalSetup: ['test/rigs/results.ts'],
          testTimeout: 20 * MINUTE,
          hookTimeout: 20 * MINUTE,
          // Most of a file's time is waiting: for downloads, for one process after another.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
