// SPDX-License-Identifier: Apache-2.0
import type { StageDefinition } from '../engine/api.js';

/** Every room by the name that `uses:` gives. Imported when first asked for: a command loads only what it runs. */
export const STAGES: Readonly<Record<string, () => Promise<{ readonly definition: StageDefinition }>>> = {
  'setup-tools': () => import('./setup-tools/index.js'),
  'setup-jax': () => import('./setup-jax/index.js'),
  'resolve-versions': () => import('./resolve-versions/index.js'),
  'fetch-sources': () => import('./fetch-sources/index.js'),
  'build-native': () => import('./build-native/index.js'),
  'test-native': () => import('./test-native/index.js'),
  'render-packages': () => import('./render-packages/index.js'),
  'test-packages': () => import('./test-packages/index.js'),
  'lint-sources': () => import('./lint-sources/index.js'),
  'pack-wheels': () => import('./pack-wheels/index.js'),
  'smoke-test': () => import('./smoke-test/index.js'),
  'report-wheels': () => import('./report-wheels/index.js'),
  'find-pythons': () => import('./find-pythons/index.js'),
  'matrix-cell': () => import('./matrix-cell/index.js'),
  'matrix-report': () => import('./matrix-report/index.js'),
  'matrix-check': () => import('./matrix-check/index.js'),
  'publish-wheels': () => import('./publish-wheels/index.js'),
  conformance: () => import('./conformance/index.js'),
  'conformance-check': () => import('./conformance-check/index.js'),
  'compare-releases': () => import('./compare-releases/index.js'),
  'obsolete-rewrites': () => import('./obsolete-rewrites/index.js'),
  'jax-tests': () => import('./jax-tests/index.js'),
  'jax-tests-check': () => import('./jax-tests-check/index.js'),
  _null: () => import('./_null/index.js'),
};

/** The definition that `uses:` names; the schema has checked that there is one. */
export async function loadStage(uses: string): Promise<StageDefinition> {
  const load = STAGES[uses];
  if (!load) throw new Error(`schemas/pipeline.schema.json allows the stage '${uses}', stages/registry.ts lacks it`);
  return (await load()).definition;
}
