// SPDX-License-Identifier: Apache-2.0
/** What the compiler of a release refuses of the plugin: flags, passes of its own, and what our rewrites make of programs. */
import fs from 'node:fs';
import path from 'node:path';
import type { StageEnd } from './children.js';

/**
 * A line each, by the messages of native/src/compile in `texts` (logs, reports of tests) and the names of the GoogleTests
 * that failed.
 */
export function refusals(
  texts: readonly string[],
  stages: readonly StageEnd[],
  rewrites: ReadonlySet<string>,
): string[] {
  const said = MESSAGES.flatMap(([what, pattern]) =>
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => what + name)),
  );
  return [...new Set([...said, ...failedRewrites(stages, rewrites)])];
}

const MESSAGES: readonly (readonly [what: string, pattern: RegExp])[] = [
  // Of the process, and of a session.
  ['flag --', /Unknown command line argument '--([^']+)'/g],
  ['flag --', /(?:flags of|tuning) the IREE compiler: [^]{0,80}?option not found: ([\w-]+)/g],
  ['pass ', /'([\w-]+)' does not refer to a registered pass/g],
  // The first line says only that IREE gave up; the next one is what it says.
  ['a rewritten program: ', /the IREE compiler failed to verify the program(?:\\n|\n(?:E +)?)([^\n]*)/g],
];

/** A rewrite's GoogleTests are named after it: a module in, a module out, by the dialects of this release. */
function failedRewrites(stages: readonly StageEnd[], rewrites: ReadonlySet<string>): string[] {
  const failed = new Map<string, string[]>();
  for (const test of stages.flatMap(({ node, failure }) => (node.startsWith('test-native') ? namesIn(failure) : []))) {
    const name = /^(?:\w+\/)?(\w+)Test\./.exec(test)?.[1];
    if (name !== undefined && rewrites.has(name)) failed.set(name, [...(failed.get(name) ?? []), test]);
  }
  return [...failed].map(([name, tests]) => `rewrite ${name}: ${tests.join(', ')}`);
}

function namesIn(failure: StageEnd['failure']): string[] {
  return failure?.kind === 'test' ? failure.detail.split('\n') : [];
}

/** Names of the plugin's rewrites: each has the file of its name, in snake case (native/src/rewrite/README.md). */
export function rewritesIn(root: string): ReadonlySet<string> {
  const folder = path.join(root, 'native', 'src', 'rewrite');
  const files = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const names = files.filter((file) => file.endsWith('.cc')).map((file) => path.basename(file, '.cc'));
  return new Set(names.map((name) => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())));
}
