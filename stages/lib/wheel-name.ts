// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import { minorNumber } from './pythons.js';

/** What the file name of a wheel says (PEP 427). */
export interface WheelName {
  /** Distribution as an index writes it, `iree-base-compiler`. */
  readonly name: string;
  readonly version: string;
  /** `cp311`, `py3`. */
  readonly pythons: readonly string[];
  /** `cp311`, `abi3`, `none`. */
  readonly abis: readonly string[];
  /** `manylinux_2_28_x86_64`, `any`. */
  readonly platforms: readonly string[];
}

const NAME = /^([A-Za-z0-9._]+)-([^-]+)(?:-\d[^-]*)?-([^-]+)-([^-]+)-([^-]+)\.whl$/;

/** Undefined for a file that is named otherwise. */
export function parseWheelName(file: string): WheelName | undefined {
  const match = NAME.exec(path.basename(file));
  if (!match) return undefined;
  const [, name = '', version = '', pythons = '', abis = '', platforms = ''] = match;
  return {
    name: name.toLowerCase().replaceAll(/[._]+/g, '-'),
    version,
    pythons: pythons.split('.'),
    abis: abis.split('.'),
    // Dots join tags here too: `manylinux2014_x86_64.manylinux_2_17_x86_64`.
    platforms: platforms.split('.'),
  };
}

/** Whether CPython `minor` (`3.11`) on a processor (`x86_64`) may install it, as far as its name says. */
export function serves(wheel: WheelName, minor: string, machine: string): boolean {
  const here = wheel.platforms.some((tag) => tag === 'any' || tag.endsWith(`_${machine}`));
  return here && wheel.pythons.some((tag) => servesMinor(tag, wheel.abis, minorNumber(minor)));
}

function servesMinor(tag: string, abis: readonly string[], minor: number): boolean {
  if (tag === 'py3') return true;
  const own = /^cp3(\d+)$/.exec(tag)?.[1];
  if (own === undefined) return false;
  return Number(own) === minor || (abis.includes('abi3') && Number(own) <= minor);
}
