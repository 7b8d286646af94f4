// SPDX-License-Identifier: Apache-2.0
/** Reads a wheel by its specification, independently of the code that packs it. */
import fs from 'node:fs';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';

export interface WheelFile {
  readonly size: number;
  /** Member → content, in the order of the archive. */
  readonly members: ReadonlyMap<string, Buffer>;
  /** Member → permission bits. */
  readonly modes: ReadonlyMap<string, number>;
  readonly distInfo: string;
}

export async function readWheel(file: string): Promise<WheelFile> {
  const bytes = fs.readFileSync(file);
  const zip = new ZipReader(new Uint8ArrayReader(bytes));
  const members = new Map<string, Buffer>();
  const modes = new Map<string, number>();
  for (const entry of await zip.getEntries()) {
    if (entry.directory) continue;
    members.set(entry.filename, Buffer.from(await entry.getData(new Uint8ArrayWriter())));
    modes.set(entry.filename, (entry.externalFileAttributes >>> 16) & 0o777);
  }
  await zip.close();
  const record = [...members.keys()].find((name) => /^[^/]+\.dist-info\/RECORD$/.test(name)) ?? '';
  return { size: bytes.length, members, modes, distInfo: record.replace(/\/RECORD$/, '') };
}

export function textOf(wheel: WheelFile, member: string): string {
  const content = wheel.members.get(member);
  if (content === undefined) throw new Error(`the wheel has no ${member}: ${[...wheel.members.keys()].join(', ')}`);
  return content.toString('utf8');
}

/** Fields of a METADATA or WHEEL file: name → values, in order. */
export function fieldsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  const [head = ''] = text.split('\n\n');
  for (const line of head.split('\n')) {
    const match = /^([A-Za-z-]+): (.*)$/.exec(line);
    if (match?.[1] !== undefined) fields.set(match[1], [...(fields.get(match[1]) ?? []), match[2] ?? '']);
  }
  return fields;
}
