// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Bundles cli.ts into `folder`. The folder appears whole or not at all, so that two first runs at once do not disturb
 * each other.
 */
export async function bundle(root, folder) {
  // esbuild is the one that tsx depends on, so that the two always agree.
  const require = createRequire(createRequire(import.meta.url).resolve('tsx/package.json'));
  const esbuild = require('esbuild');
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  try {
    await esbuild.build({
      absWorkingDir: root,
      entryPoints: ['cli.ts'],
      outdir: temporary,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      sourcemap: 'linked',
      logLevel: 'silent',
      define: { PIPELINE_BUILD: JSON.stringify(folder.slice(-16)) },
      plugins: [keepLocations],
    });
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (error?.code !== 'ENOTEMPTY' && error?.code !== 'EEXIST') throw error;
  }
  prune(dirname(folder));
}

/** Makes `import.meta` of a module tell where its own files lie: in the source tree, not in the bundle. */
const keepLocations = {
  name: 'keep-locations',
  setup(build) {
    // A stage that is registered but has no folder fails when it is imported, as it would without a bundle.
    build.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir, kind }) => {
      if (kind !== 'dynamic-import' || existsSync(join(resolveDir, path.replace(/js$/, 'ts')))) return undefined;
      return { path: pathToFileURL(join(resolveDir, path)).href, external: true };
    });
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.filename', JSON.stringify(path));
      return { contents: text, loader: 'ts' };
    });
  },
};

/** Bundles of earlier sources. One of today may belong to a run that has not loaded all its parts yet. */
function prune(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}
