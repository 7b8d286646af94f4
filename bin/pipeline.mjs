#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Starts cli.ts. TypeScript is bundled on first use and after each edit (0.1 s), because translating it
// anew at every start costs more than everything else that an unchanged run does. It is not kept in
// node_modules: npx reads every package again when that folder is newer than npm's record. Without a writable
// .pipeline/, or when the bundle cannot be made, tsx runs the sources as they are.
import module from 'node:module';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sourcesKey } from './sources-key.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

async function loadMain() {
  const key = sourcesKey(root);
  const folder = join(root, '.pipeline', 'program', key);
  try {
    if (!existsSync(join(folder, 'cli.js'))) {
      const { bundle } = await import('./bundle.mjs');
      await bundle(root, folder);
    }
  } catch {
    const { register } = await import('tsx/esm/api');
    register();
    return await import('../cli.ts');
  }
  module.enableCompileCache?.();
  return await import(pathToFileURL(join(folder, 'cli.js')).href);
}

// `npx pipeline plan | head` closes the pipe early; that is no error.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
});

const { main } = await loadMain();
process.exitCode = await main(process.argv.slice(2));
