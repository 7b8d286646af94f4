// SPDX-License-Identifier: Apache-2.0
/** Loaded at every start, so it imports nothing. */

/** The smoke test and what it imports, below the root of the project. */
export const SUITE_FOLDER = 'stages/lib/testing';
export const SUITE_FILES: readonly string[] = ['*.py', 'smoke/*.{py,ini}'];
