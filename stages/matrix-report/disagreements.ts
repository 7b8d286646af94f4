// SPDX-License-Identifier: Apache-2.0
import type { MatrixCell } from '../lib/matrix/report.js';

/** Where what the wheel claims is not what was measured, either way; a sentence for each cell. */
export function disagreementsOf(cells: readonly MatrixCell[], compilerPackage: string): string[] {
  return cells.flatMap((cell) => {
    const wrong = disagreement(cell);
    return wrong === undefined ? [] : [`${nameOf(cell, compilerPackage)} ${wrong}`];
  });
}

function disagreement({ result, claimed, kind, reason = '' }: MatrixCell): string | undefined {
  if (claimed && (result === 'fails' || result === 'refused')) return `is claimed and ${result}: ${reason}`;
  if (!claimed && result === 'works') return 'works and is not claimed: `supports` of pipeline.yaml is too narrow';
  if (kind === 'not-refused') return `cannot work and is not refused: ${reason}`;
  return undefined;
}

function nameOf({ device, flavour, arch, jaxlib, python, compiler }: MatrixCell, compilerPackage: string): string {
  return `${[device, flavour, arch].join('-')}: jaxlib ${jaxlib} on Python ${python} with ${compilerPackage} ${compiler}`;
}
