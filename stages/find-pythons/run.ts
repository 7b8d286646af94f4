// SPDX-License-Identifier: Apache-2.0
import type { StageContext } from '../../engine/api.js';
import type { FoundPython } from '../artifacts.js';
import { locatePython } from '../lib/matrix/pythons.js';

export interface FindOptions {
  readonly download: boolean;
}

export async function findPython(context: StageContext<FindOptions>): Promise<FoundPython> {
  const { python: minor = '' } = context.variant.axes;
  const found = await locatePython(context, minor, context.options.download);
  if (found.path === undefined) {
    context.warn(`Python ${minor} was not found: what needs it is not run (PIPELINE_PYTHONS names more)`);
  } else {
    context.log(`Python ${found.version ?? ''}: ${found.path}`);
  }
  return found;
}
