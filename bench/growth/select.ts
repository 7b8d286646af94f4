// SPDX-License-Identifier: Apache-2.0
/** The cells that a command line names; a `usage` failure where it names none. */
import { nearest, suggest } from '../../engine/base/nearest.js';
import { fail } from '../../engine/failure.js';
import { nameOf, type Listed } from './cell.js';

export interface Wanted {
  /** A regular expression that a cell's id holds. */
  readonly only?: string | undefined;
  readonly sizes?: readonly string[] | undefined;
  readonly dtypes?: readonly string[] | undefined;
}

export function selected<T extends Listed>(cells: readonly T[], { only, sizes, dtypes }: Wanted): T[] {
  const parts = cells.map((cell) => ({ cell, name: nameOf(cell) }));
  checked(
    'size',
    sizes,
    unique(parts.map(({ name }) => name.size)).sort((a, b) => a - b),
  );
  checked('dtype', dtypes, unique(parts.map(({ name }) => name.dtype)));
  const pattern = only === undefined ? undefined : patternOf(only);
  if (pattern && !cells.some(({ id }) => pattern.test(id)))
    noneOf(
      only ?? '',
      parts.map(({ name }) => name.operation),
    );
  const found = parts.filter(
    ({ cell, name }) =>
      (pattern?.test(cell.id) ?? true) &&
      (sizes?.includes(String(name.size)) ?? true) &&
      (dtypes?.includes(name.dtype) ?? true),
  );
  if (found.length === 0)
    usage('no cell is of all that', 'take one of --only, --sizes and --dtypes away, or ask --list');
  return found.map(({ cell }) => cell);
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    return usage(
      `--only: ${error instanceof Error ? error.message : String(error)}`,
      'quote what is not meant as a pattern with \\',
    );
  }
}

function noneOf(only: string, operations: readonly string[]): never {
  const near = nearest(only.replaceAll(/[^\w]/g, ''), unique(operations));
  const help = near === undefined ? 'npm run bench:growth -- --list shows them' : `did you mean '${near}'?`;
  usage(`--only: no cell's name holds /${only}/`, help);
}

function checked(what: string, wanted: readonly string[] | undefined, there: readonly (string | number)[]): void {
  const words = there.map(String);
  const unknown = wanted?.find((word) => !words.includes(word));
  if (unknown !== undefined)
    usage(`--${what}s: no cell has the ${what} '${unknown}'`, suggest(unknown, words, 'there are'));
}

function usage(message: string, help?: string): never {
  return fail({ kind: 'usage', message, ...(help === undefined ? {} : { help }) });
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
