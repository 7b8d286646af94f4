// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageContext } from '../../../engine/api.js';

/** Comes in the wheels of the asan flavour. */
export const LAUNCHER = 'iree-pjrt-asan';

/** The words before Python's arguments: an asan wheel is used through its launcher, which knows its own Python. */
export function pythonOf(context: StageContext, python: string): readonly [string, ...string[]] {
  return context.variant.axes['flavour'] === 'asan' ? [path.join(path.dirname(python), LAUNCHER), 'python'] : [python];
}

/** A sanitizer's report. UBSan's has no other mark than these words. */
const REPORT = /^.*(?:ERROR: (?:Address|Leak)Sanitizer|AddressSanitizer: CHECK failed|: runtime error: ).*$/m;

/** The first line of the first report in a program's output; undefined if there is none. */
export function reportIn(output: string): string | undefined {
  return REPORT.exec(output)?.[0];
}
