// SPDX-License-Identifier: Apache-2.0
import { fail } from '../../engine/failure.js';

export interface WheelName {
  readonly distribution: string;
  readonly version: string;
  /** `python-abi-platform`. */
  readonly tag: string;
}

/** Parts of a wheel's file name (binary distribution format, no build tag). */
export function parseWheelName(file: string): WheelName {
  const match = /^([^-]+)-([^-]+)-([^-]+-[^-]+-[^-]+)\.whl$/.exec(file);
  if (!match) throw new Error(`not a wheel's file name: ${file}`);
  const [, distribution = '', version = '', tag = ''] = match;
  return { distribution, version, tag };
}

/** A `linux_…` tag: no index takes such a wheel, and no manylinux promise is made. */
export function isForThisMachine(tag: string): boolean {
  return /-linux_\w+$/.test(tag);
}

/** Compares the platform tag of a wheel with the oldest one that auditwheel says its libraries allow. */
export function checkTag(file: string, auditwheelOutput: string): void {
  const { tag } = parseWheelName(file);
  const claimed = glibcOf(tag);
  const text = auditwheelOutput.replace(/\s+/g, ' ');
  const allowed = /consistent with the following platform tag: "([^"]+)"/.exec(text)?.[1];
  const floor = allowed === undefined ? undefined : glibcOf(allowed);
  if (claimed === undefined || floor === undefined || floor > claimed) {
    fail({
      kind: 'integrity',
      message: `auditwheel does not agree with the tag of ${file}`,
      file,
      wanted: tag.split('-').at(-1) ?? tag,
      found: allowed ?? text.trim(),
      help: 'a library in it needs a newer glibc, or one that manylinux does not allow: see the log',
    });
  }
}

/** `manylinux_2_28_x86_64` → 2028; undefined if it is no manylinux tag. */
function glibcOf(tag: string): number | undefined {
  const match = /manylinux_(\d+)_(\d+)_/.exec(tag);
  return match ? Number(match[1]) * 1000 + Number(match[2]) : undefined;
}
