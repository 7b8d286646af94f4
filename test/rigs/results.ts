// SPDX-License-Identifier: Apache-2.0
/** Global set-up of the end-to-end tests: a folder for results that several of their files need, for one run. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A store of results (`LocalStore`), empty at first. */
    results: string;
  }
}

export default function makeResultsFolder(project: TestProject): () => void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'e2e-results-'));
  project.provide('results', folder);
  return () => {
    fs.rmSync(folder, { recursive: true, force: true });
  };
}
