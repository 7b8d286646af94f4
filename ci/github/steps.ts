// SPDX-License-Identifier: Apache-2.0
/** Steps that several jobs share. Values of a matrix reach scripts as environment variables, never as text in them. */
import { pinned } from './actions.js';
import type { WorkflowConfig } from './config.js';

export type Step = Readonly<Record<string, unknown>>;

const NODE = '24';
/**
 * Condition of a run that is not for a tag. A tag has its results made anew: no cache that another run filled has a say
 * in what is published.
 */
const NO_TAG = "!startsWith(github.ref, 'refs/tags/')";
const RESULTS = '.pipeline/cache';

export const LEG_ENV = { LEG: '${{ matrix.leg }}' };

export function prepare(pythons: readonly string[]): Step[] {
  return [
    { uses: pinned('actions/checkout'), with: { 'persist-credentials': false } },
    { uses: pinned('actions/setup-node'), with: { 'node-version': NODE, 'package-manager-cache': false } },
    ...(pythons.length === 0
      ? []
      : [{ uses: pinned('actions/setup-python'), with: { 'python-version': pythons.join('\n') } }]),
    { run: 'npm ci' },
  ];
}

export function planSteps(workflow: string, config: WorkflowConfig): Step[] {
  const rehearse = config.publish === undefined ? '' : ` --set ${config.publish.rehearse}=true`;
  return [
    { name: 'This file is what pipeline.yaml says', run: 'npx pipeline ci generate github --check' },
    {
      name: 'Plan',
      env: { VARIANTS: '${{ inputs.variants }}' },
      run: `mkdir legs\nnpx pipeline plan ${config.pipeline} --json \${VARIANTS:+--variant "$VARIANTS"}${rehearse} > legs/plan.json`,
    },
    { name: 'Legs', id: 'legs', run: `npx pipeline ci legs github ${workflow} >> "$GITHUB_OUTPUT"` },
    {
      uses: pinned('actions/upload-artifact'),
      with: { name: 'plan', path: 'legs/plan.json', 'if-no-files-found': 'error', overwrite: true },
    },
  ];
}

/** The plan, and the folders of the legs that this one takes from. */
export function downloadLegs(): Step {
  return {
    uses: pinned('actions/download-artifact'),
    with: { pattern: '${{ matrix.takes }}', path: 'legs', 'merge-multiple': true },
  };
}

/** The results of the last run of this leg; the engine finds by key what still holds. */
export function restoreResults(): Step {
  return {
    id: 'restore',
    if: NO_TAG,
    uses: pinned('actions/cache/restore'),
    with: {
      path: RESULTS,
      key: 'results-${{ matrix.leg }}-${{ github.run_id }}',
      'restore-keys': 'results-${{ matrix.leg }}-',
    },
  };
}

/** What a leg hands over, its results under the keys that the engine gave them, and logs if it failed. */
export function keepResults(): Step[] {
  return [
    { id: 'keys', run: 'echo "keys=$(jq -r .keys "legs/$LEG/leg.json")" >> "$GITHUB_OUTPUT"' },
    {
      if: `${NO_TAG} && steps.restore.outputs.cache-matched-key != format('results-{0}-{1}', matrix.leg, steps.keys.outputs.keys)`,
      uses: pinned('actions/cache/save'),
      with: { path: RESULTS, key: 'results-${{ matrix.leg }}-${{ steps.keys.outputs.keys }}' },
    },
    {
      uses: pinned('actions/upload-artifact'),
      with: {
        name: '${{ matrix.leg }}',
        // The plan is uploaded too, so that the leg's folder is part of the paths even where the leg comes alone.
        path: 'legs/plan.json\nlegs/${{ matrix.leg }}',
        'if-no-files-found': 'error',
        'compression-level': 0,
        overwrite: true,
        'retention-days': 7,
      },
    },
    {
      if: 'failure()',
      uses: pinned('actions/upload-artifact'),
      with: { name: 'logs-${{ matrix.leg }}', path: '.pipeline/logs', 'include-hidden-files': true, overwrite: true },
    },
  ];
}

export function uploadDist(name: string, path: string): Step {
  return {
    uses: pinned('actions/upload-artifact'),
    with: { name, path, 'if-no-files-found': 'error', overwrite: true },
  };
}
