// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../api.js';
import { expandVariants } from './variants.js';
import type { RawConfig, ResolvedConfig } from './types.js';

/** Sections that the engine reads itself; all others go to the stages unread. */
const OWN_SECTIONS = new Set(['version', 'project', 'variants', 'stages', 'pipelines']);

/** From what was written, checked, to what is meant. */
export function resolveConfig(raw: RawConfig, file: string): ResolvedConfig {
  const sections = Object.fromEntries(Object.entries(raw).filter(([key]) => !OWN_SECTIONS.has(key)));
  return {
    file,
    project: { project: raw.project, sections: sections as JsonObject, axes: raw.variants?.axes ?? {} },
    variants: expandVariants(raw.variants),
    implied: raw.variants?.implied ?? {},
    stages: raw.stages.map((stage) => ({
      name: stage.name,
      uses: stage.uses,
      needs: stage.needs ?? [],
      options: stage.with ?? {},
    })),
    pipelines: Object.entries(raw.pipelines).map(([name, pipeline]) => ({
      name,
      title: pipeline.title ?? name,
      stages: pipeline.stages,
      variants: pipeline.variants ?? {},
      legs: pipeline.legs ?? [],
    })),
  };
}
