// SPDX-License-Identifier: Apache-2.0
/** What a search has found: the lines that differential/search.py prints, counted. */

export interface Finding {
  /** `wrong`, `error`, `crash`, `timeout`; `harness` where the test itself is to be mended. */
  readonly kind: string;
  readonly message: string;
  /** Python that shows it. */
  readonly source: string;
}

export type Report =
  | { readonly what: 'program'; readonly seconds: number; readonly operations: readonly string[] }
  | { readonly what: 'shrinking'; readonly kind: string; readonly message: string }
  | { readonly what: 'again'; readonly kind: string; readonly operations: readonly string[] }
  | ({ readonly what: 'finding' } & Finding);

export interface About {
  readonly seconds: number;
  readonly seed: number;
  readonly library: string;
  readonly date: string;
}

export class Tally {
  programs = 0;
  /** Failures that look like an earlier finding. */
  again = 0;
  /** The kind of the failure that is being shrunk. */
  shrinking = '';
  readonly findings: Finding[] = [];
  /** In how many programs an operation is. */
  readonly operations = new Map<string, number>();

  constructor(readonly about: About) {}

  add(report: Report): void {
    if (report.what === 'shrinking') this.shrinking = report.kind;
    else if (report.what === 'again') this.again += 1;
    else if (report.what === 'finding') {
      this.findings.push(report);
      this.shrinking = '';
    } else {
      this.programs += 1;
      for (const name of new Set(report.operations)) this.operations.set(name, (this.operations.get(name) ?? 0) + 1);
    }
  }
}
