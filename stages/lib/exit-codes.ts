// SPDX-License-Identifier: Apache-2.0

/** For programs whose exit codes and crashes are read from what they report: no code fails by itself. */
export const ANY_EXIT_CODE: readonly number[] = Array.from({ length: 256 }, (_, code) => code);
