// SPDX-License-Identifier: Apache-2.0
import { testAt } from './label.js';

export interface Cause {
  readonly cause: string;
  readonly count: number;
  readonly files: readonly string[];
  /** A test that fails for this cause. */
  readonly example: string;
}

const LENGTH = 160;

/** Parts of a message that differ from test to test although the cause is the same, replaced in this order. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  // `"…/file.py":12:3` and `at file.cc:12`, with or without `loc(…)`.
  [/loc\([^)]*\)/g, 'LOC'],
  [/["']?(?:[\w.~+-]*\/)*[\w.+-]+\.(?:py|mlir|cc|cpp|h|so)["']?(?::\d+)*/g, 'PATH'],
  [/["']?(?:\/[\w.~+-]+){2,}\/?["']?/g, 'PATH'],
  [/!?\b(?:tensor|vector|memref)<[^>]*>+/g, 'TENSOR'],
  [/\b(?:[a-z]+\d+\w*|bool|pred)\[[^\]]*\]/g, 'ARRAY'],
  [/\b0x[0-9a-fA-F]+/g, 'N'],
  [/\((?:\d+(?:, ?)?)+\)|\(\)/g, 'SHAPE'],
  [/\[(?:[-+.\deE, ]|nan|inf)*\]/g, 'LIST'],
  [/(?<![\w.])[-+]?\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?(?!\w)/g, 'N'],
  [/\s+/g, ' '],
];

/** The message of a failure without what belongs to the one place: numbers, shapes, paths, source locations. */
export function causeOf(message: string): string {
  const [head = 'no message', next = ''] = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // `AssertionError:` alone says nothing; neither does where in the library it was raised.
  const whole = /^[\w.]+:?$/.test(head) ? `${head} ${next}` : head;
  const short = whole.replace(/^(?:\w+\.)+(\w+(?:Error|Exception|Warning))/, '$1');
  const bare = VARYING.reduce((text, [pattern, word]) => text.replace(pattern, word), short).trim();
  return bare.length <= LENGTH ? bare : `${bare.slice(0, LENGTH - 1)}…`;
}

/** Failures by cause, the commonest first. */
export function groupByCause(
  failures: readonly { readonly file: string; readonly test: string; readonly message: string }[],
): Cause[] {
  const groups = new Map<string, { count: number; files: Set<string>; example: string }>();
  for (const { file, test, message } of failures) {
    const cause = causeOf(message);
    const group = groups.get(cause) ?? { count: 0, files: new Set(), example: testAt(file, test) };
    group.count += 1;
    group.files.add(file);
    groups.set(cause, group);
  }
  return [...groups]
    .map(([cause, { count, files, example }]) => ({ cause, count, files: [...files].sort(), example }))
    .sort((a, b) => b.count - a.count || (a.cause < b.cause ? -1 : 1));
}
