// SPDX-License-Identifier: Apache-2.0
import type { Forecast } from '../../../engine/api.js';
import type { CellResult, MatrixCellArtifact } from '../../artifacts.js';
import type { LocalPart } from '../local/types.js';

/** `matrix-report`, and `dist/matrix/matrix.json`: schemas/matrix.schema.json. */
export interface MatrixReport {
  /** Version of the project. */
  readonly version: string;
  /** sha256 over the files of the smoke test. */
  readonly suite: string;
  readonly supports: { readonly jaxlib: string; readonly python: string };
  readonly cells: readonly MatrixCell[];
  /** How long the whole takes on several machines. */
  readonly forecast: Forecast;
  /** Where the claim and the results disagree, a sentence each; `matrix-check` fails unless it is empty. */
  readonly disagreements: readonly string[];
}

export interface MatrixCell extends Omit<MatrixCellArtifact, 'result'> {
  /** `cpu-release-0.10.2-3.11-3.11.0`. */
  readonly id: string;
  readonly device: string;
  readonly flavour: string;
  readonly arch: string;
  /** File name. */
  readonly wheel: string;
  readonly sha256: string;
  /** Empty if it was not installed. */
  readonly jax: string;
  readonly jaxlib: string;
  /** `major.minor`. */
  readonly python: string;
  readonly compiler: string;
  readonly runtime: string;
  readonly result: CellResult;
  /** Which of them are builds of the developer's own; absent where none is. */
  readonly local?: readonly LocalPart[];
  /** Whether the wheel says that it works with these. */
  readonly claimed: boolean;
  /** Runs this cell again; empty if it is never run. */
  readonly command: string;
}
