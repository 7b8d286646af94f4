// SPDX-License-Identifier: Apache-2.0
/** How a test file and its devices are named in reports and in conformance/expected.json: `pmap_test@8`. */

export const MAX_DEVICES = 64;

export interface NamedFile {
  /** Without `.py`. */
  readonly name: string;
  readonly devices: number;
}

/** A file on one device has its name alone. */
export function labelOf({ name, devices }: NamedFile): string {
  return devices === 1 ? name : `${name}@${devices}`;
}

/** What `labelOf` makes, or a file's name as it is on the disk; undefined where there cannot be so many devices. */
export function parseLabel(label: string): NamedFile | undefined {
  const { name = label, count = '1' } = /^(?<name>.+?)(?:@(?<count>\d+))?$/.exec(label)?.groups ?? {};
  const devices = Number(count);
  return devices < 1 || devices > MAX_DEVICES ? undefined : { name: name.replace(/\.py$/, ''), devices };
}

/** Where a test is: `pmap_test.py@8::Class::test`. */
export function testAt(label: string, test: string): string {
  return `${label.replace(/(?=@\d+$)|(?<!@\d+)$/, '.py')}::${test}`;
}
