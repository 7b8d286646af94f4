// SPDX-License-Identifier: Apache-2.0
import { openAsBlob } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { BlobReader, Uint8ArrayWriter, ZipReader, type Entry, type Reader } from '@zip.js/zip.js';
import { fail, PipelineFailure } from '../../engine/failure.js';
import { clientFailure } from './client-failure.js';
import { sha256File } from './hash.js';
import { downloadWheel, type Distribution, type PipClient } from './pip.js';
import { needsProxy, RangeReader, RangesRefused } from './range-reader.js';
import { ConnectionFault } from './retry.js';

export interface WheelRead {
  readonly distribution: Distribution;
  /** `major.minor` that the wheel was found for. */
  readonly python: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly wanted: (member: string) => boolean;
  /** Checked if the whole wheel has to be downloaded. */
  readonly sha256?: string;
  readonly delays?: readonly number[];
}

/** Members of a zip by path. */
export type Members = ReadonlyMap<string, Uint8Array>;

/** Fetches single members of a wheel by byte ranges; the whole wheel by pip where that cannot be. */
export async function readWheelMembers(pip: PipClient, read: WheelRead): Promise<Members> {
  const { url } = read.distribution;
  const why = whyWhole(url, read.env);
  if (why === undefined) {
    try {
      return await membersByRange(pip, read);
    } catch (error) {
      if (!(error instanceof RangesRefused) && !(error instanceof ConnectionFault)) throw error;
      pip.log(`no byte ranges of ${read.distribution.file} (${error.message}): fetching all of it`);
    }
  } else {
    pip.log(`${why}: fetching all of ${read.distribution.file}`);
  }
  return membersOfDownload(pip, read);
}

function whyWhole(url: string, env: WheelRead['env']): string | undefined {
  if (!/^https?:/.test(url)) return 'the wheel lies in a folder';
  return needsProxy(url, env) ? 'a proxy is set' : undefined;
}

async function membersByRange(pip: PipClient, read: WheelRead): Promise<Members> {
  const { signal, log } = pip;
  const options = { signal, log, env: read.env, ...(read.delays ? { delays: read.delays } : {}) };
  const reader = new RangeReader(read.distribution.url, options);
  try {
    return await membersOf(reader, read.wanted);
  } catch (error) {
    if (error instanceof PipelineFailure || error instanceof RangesRefused || error instanceof ConnectionFault)
      throw error;
    if (signal.aborted) throw error;
    return fail({
      kind: 'integrity',
      message: `${read.distribution.file} is not a readable wheel`,
      file: read.distribution.file,
      wanted: 'a zip archive',
      found: error instanceof Error ? error.message : String(error),
      help: 'a proxy or mirror may have altered it; try again without',
    });
  } finally {
    reader.close();
  }
}

async function membersOfDownload(pip: PipClient, read: WheelRead): Promise<Members> {
  const { name, version } = read.distribution;
  const folder = await mkdtemp(path.join(pip.tempDir, 'wheel-'));
  let file: string;
  try {
    file = await downloadWheel(pip, `${name}==${version}`, read.python, folder);
  } catch (error) {
    throw clientFailure(error, `${name} ${version}`);
  }
  const found = await sha256File(file);
  if (read.sha256 !== undefined && found !== read.sha256) {
    fail({
      kind: 'integrity',
      message: `${path.basename(file)} is not the file that the lock names`,
      file: path.basename(file),
      wanted: read.sha256,
      found,
    });
  }
  return membersOf(new BlobReader(await openAsBlob(file)), read.wanted);
}

/** Members of a wheel that is at hand. */
export async function membersOf(
  reader: Reader<unknown> | BlobReader,
  wanted: (member: string) => boolean,
): Promise<Members> {
  const zip = new ZipReader(reader, { checkSignature: true, useWebWorkers: false });
  const members = new Map<string, Uint8Array>();
  const entries = (await zip.getEntries()).filter((entry) => !entry.directory && wanted(entry.filename));
  for (const entry of entries.sort((a, b) => a.offset - b.offset)) members.set(entry.filename, await contentOf(entry));
  await zip.close();
  return members;
}

async function contentOf(entry: Entry): Promise<Uint8Array> {
  if (entry.directory) throw new Error(`${entry.filename} is a folder`);
  return entry.getData(new Uint8ArrayWriter());
}
