// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import type { StageContext } from '../../engine/api.js';
import { clientFailure } from './client-failure.js';
import { withRetries } from './retry.js';

export interface FetchedCrate {
  readonly version: string;
  /** Where cargo unpacked it; belongs to cargo, read-only for us. */
  readonly folder: string;
  /** sha256 of the .crate file as the registry index states it. */
  readonly checksum: string;
}

interface CargoLock {
  readonly package?: readonly { readonly name: string; readonly version: string; readonly checksum?: string }[];
}
interface CargoMetadata {
  readonly packages: readonly { readonly name: string; readonly version: string; readonly manifest_path: string }[];
}

/** The target whose dependencies are fetched: all others would be downloaded for nothing. */
const TARGET = 'x86_64-unknown-linux-gnu';

/**
 * Lets cargo fetch a crate, by a manifest that depends on nothing else. A user's cargo home, mirrors and
 * vendored sources are honoured, since it is their cargo that runs.
 */
export async function fetchCrate(
  context: Pick<StageContext, 'exec' | 'tempDir' | 'signal' | 'log'>,
  name: string,
  requirement: string,
): Promise<FetchedCrate> {
  const folder = await mkdtemp(path.join(context.tempDir, 'crate-'));
  const manifest = path.join(folder, 'Cargo.toml');
  await mkdir(path.join(folder, 'src'));
  await writeFile(path.join(folder, 'src', 'lib.rs'), '');
  await writeFile(manifest, manifestOf(name, requirement));
  const cargo = (args: readonly string[]) =>
    // cargo retries by itself, with CARGO_NET_RETRY; we retry only once more, after a longer outage.
    context.exec('cargo', [...args, '--manifest-path', manifest], {
      cwd: folder,
      echo: false,
      help: 'cargo fetches the IREE runtime; its own settings (~/.cargo/config.toml) apply',
    });
  try {
    await withRetries(`crate ${name}`, { ...context, delays: [2_000] }, () => cargo(['fetch', '--target', TARGET]));
    const { stdout } = await cargo(['metadata', '--format-version', '1', '--offline', '--filter-platform', TARGET]);
    return locate(name, JSON.parse(stdout) as CargoMetadata, await readFile(path.join(folder, 'Cargo.lock'), 'utf8'));
  } catch (error) {
    throw clientFailure(error, `the crate ${name} ${requirement}`);
  }
}

function manifestOf(name: string, requirement: string): string {
  return [
    '[package]',
    'name = "fetch"',
    'version = "0.0.0"',
    'edition = "2021"',
    '[workspace]',
    '[dependencies]',
    `${name} = { version = ${JSON.stringify(requirement)}, default-features = false }`,
    '',
  ].join('\n');
}

function locate(name: string, metadata: CargoMetadata, lockText: string): FetchedCrate {
  const found = metadata.packages.find((candidate) => candidate.name === name);
  const locked = (parse(lockText) as CargoLock).package?.find((candidate) => candidate.name === name);
  if (!found || !locked) throw new Error(`cargo fetched no ${name}`);
  return { version: found.version, folder: path.dirname(found.manifest_path), checksum: locked.checksum ?? '' };
}
