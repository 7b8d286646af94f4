// SPDX-License-Identifier: Apache-2.0
import type { StageContext } from '../../engine/api.js';
import type { MatrixCellArtifact } from '../artifacts.js';

export type Verdict = Omit<MatrixCellArtifact, 'seconds'>;

export const NO_TESTS = { versions: {}, passed: 0, failed: 0, skipped: 0, logTail: [] } as const;

const REASON_CHARS = 240;
const TAIL_LINES = 40;

type Places = Pick<StageContext, 'tempDir' | 'root'>;

/** One line that says the same on every machine: no paths of this one, no colours. */
export function lineOf(places: Places, text: string): string {
  const line = plain(places, text).replaceAll(/\s+/g, ' ').trim();
  return line.length <= REASON_CHARS ? line : `${line.slice(0, REASON_CHARS - 1)}…`;
}

export function tailOf(places: Places, text: string): string[] {
  return plain(places, text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-TAIL_LINES);
}

function plain({ tempDir, root }: Places, text: string): string {
  return text
    .replaceAll(/\x1b\[[0-9;]*m/g, '')
    .replaceAll(tempDir, 'TMP')
    .replaceAll(root, '.');
}
