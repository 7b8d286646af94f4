// SPDX-License-Identifier: Apache-2.0
import type { Change } from './expected.js';

const SIGNS: Readonly<Record<Change['kind'], string>> = { new: '+', fixed: '-', stale: '-', unclassified: '?' };

/** The changes as a diff of conformance/expected.json, a file after the other; what a line means stands below it. */
export function renderChanges(
  changes: readonly Change[],
  causeOf: (file: string, test: string) => string | undefined,
): string[] {
  const files = [...new Set(changes.map(({ file }) => file))];
  return files.flatMap((file) => [
    file,
    ...changes
      .filter((change) => change.file === file)
      .flatMap((change) => [`  ${SIGNS[change.kind]} ${change.test}`, `      ${meaning(change, causeOf)}`]),
  ]);
}

function meaning({ file, kind, test, reason }: Change, causeOf: (file: string, test: string) => string | undefined) {
  switch (kind) {
    case 'new':
      return `fails: ${causeOf(file, test) ?? 'no message'}`;
    case 'fixed':
      return `no longer fails; it was expected to: ${reason}`;
    case 'stale':
      return `no test that XLA:CPU passes has this name: ${reason}`;
    case 'unclassified':
      return 'has no reason yet';
  }
}
