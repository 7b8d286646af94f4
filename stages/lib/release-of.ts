// SPDX-License-Identifier: Apache-2.0

/** The release line of a version: `0.10` of `0.10.2`, `3.13` of `3.13.0`. */
export function releaseOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
