// SPDX-License-Identifier: Apache-2.0
import type { Artifact } from '../api.js';
import { canonicalJson, sha256 } from '../base/canonical-json.js';
import type { PlanNode } from '../plan/plan.js';

/** What `reader` sees of a result that it needs: all of it, or the part that its definition names (`reads`). */
export function partRead(reader: Pick<PlanNode, 'definition' | 'variant'>, artifact: Artifact): Artifact {
  const part = reader.definition.reads?.[artifact.stage];
  if (part === undefined) return artifact;
  const value = part(artifact.value as never, reader.variant);
  return { ...artifact, value, dir: '', digest: sha256(canonicalJson({ value })) };
}
