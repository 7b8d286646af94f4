// SPDX-License-Identifier: Apache-2.0
import type { ToolSpec, Variant } from '../api.js';

/** The tools of a stage that matter to one of its variants. */
export function toolsFor(specs: readonly ToolSpec[] | undefined, { axes }: Variant): readonly ToolSpec[] {
  return (specs ?? []).filter(({ only = {} }) => Object.entries(only).every(([axis, value]) => axes[axis] === value));
}
