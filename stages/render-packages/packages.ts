// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { InputContext, StageInputs } from '../../engine/api.js';
import { MATRIX_FILE } from '../lib/compat/files.js';
import { supportsOf } from '../lib/compat/supports.js';

/** One entry of `packages:` in pipeline.yaml. */
export interface PackageConfig {
  readonly name: string;
  readonly template: string;
  readonly device: string;
  /** The summary that the package index shows. */
  readonly description: string;
}

export async function renderInputs(context: InputContext): Promise<StageInputs> {
  const packages = packagesOf(context);
  const files = await Promise.all(
    packages.map(({ template }) =>
      context.glob(path.join('wheel-templates', template), [
        '**/*',
        '!tests/**',
        '!**/__pycache__/**',
        '!**/.*_cache/**',
      ]),
    ),
  );
  return {
    files: [...files.flat(), ...(await context.glob('.', [MATRIX_FILE])), path.join(context.root, 'LICENSE')],
    values: {
      project: context.config.project,
      supports: { ...supportsOf(context.config) },
      packages: packages.map((entry) => ({ ...entry })),
    },
  };
}

/** The packages that pipeline.yaml wants for this node's device. */
export function packagesOf(context: InputContext): readonly PackageConfig[] {
  const all = (context.config.sections['packages'] ?? []) as unknown as readonly PackageConfig[];
  return all.filter(({ device }) => device === context.variant.axes['device']);
}
