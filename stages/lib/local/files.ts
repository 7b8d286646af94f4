// SPDX-License-Identifier: Apache-2.0
import type { LocalBuilds } from './types.js';

/** Every file that a result depends on. */
export function filesOf(local: LocalBuilds | undefined): readonly string[] {
  return [local?.compiler, local?.jaxlib, local?.jax].flatMap((part) => part?.files ?? []);
}
