// SPDX-License-Identifier: Apache-2.0
import Table from 'cli-table3';
import { fail } from '../../engine/failure.js';

/** Why a candidate was not taken. */
export interface Exclusion {
  readonly candidate: string;
  /** The wish or fact that rules it out, e.g. `constraints.iree >=3.11,<3.12`. */
  readonly by: string;
}

const WIDTHS = [30, 46];
/** Rows per family of candidates; older ones are counted. */
const SHOWN = 8;

/** At most 80 columns wide. */
export function renderExclusions(exclusions: readonly Exclusion[]): string {
  const table = new Table({
    head: ['candidate', 'excluded by'],
    colWidths: WIDTHS,
    wordWrap: true,
    wrapOnWordBoundary: false,
    style: { head: [], border: [], compact: true },
  });
  for (const { candidate, by } of exclusions.slice(0, SHOWN)) table.push([candidate, by]);
  if (exclusions.length > SHOWN) table.push([`${exclusions.length - SHOWN} older ones`, 'the same']);
  return table.toString();
}

export function noMatch(what: string, exclusions: readonly Exclusion[], help: string): never {
  return fail({
    kind: 'resolution',
    message: `no ${what} fits all constraints`,
    detail: renderExclusions(exclusions),
    help,
  });
}
