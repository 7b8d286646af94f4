// SPDX-License-Identifier: Apache-2.0
import type { ProjectConfig } from '../../../engine/api.js';

/** What every wheel claims to work with: PEP 440 ranges, `supports` of pipeline.yaml. */
export interface Supports {
  readonly jaxlib: string;
  readonly python: string;
  readonly iree: string;
}

export function supportsOf({ sections }: Pick<ProjectConfig, 'sections'>): Supports {
  const { jaxlib = '>=0', python = '>=0', iree = '>=0' } = (sections['supports'] ?? {}) as Partial<Supports>;
  return { jaxlib, python, iree };
}
