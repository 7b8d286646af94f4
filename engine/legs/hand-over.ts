// SPDX-License-Identifier: Apache-2.0
/**
 * What a leg leaves for the legs after it, in a folder that any means may carry to another machine:
 *   <folder>/<leg>/leg.json       which results these are, of which plan, with checksums
 *   <folder>/<leg>/<node>.tgz     one result each: plain archives, because carriers lose modes and links
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Artifact } from '../api.js';
import {
  adoptRestored,
  ARTIFACT,
  fileNameOf,
  FILES,
  leavingLink,
  type ArtifactRecord,
} from '../results/artifact-dir.js';
import { extractArchive, writeArchive } from '../cache/archive.js';
import { canonicalJson, sha256 } from '../base/canonical-json.js';
import { fail } from '../failure.js';
import { hashFile, readJsonFile, removeTree } from '../base/files.js';
import type { Leg } from './legs.js';

const FORMAT = 1;
const MANIFEST = 'leg.json';

export interface HandOver {
  readonly format: typeof FORMAT;
  readonly leg: string;
  /** Digest of the plan that the leg is part of. */
  readonly plan: string;
  /** sha256 over the keys of the results: the same if a later run of the leg has nothing to do. */
  readonly keys: string;
  readonly results: readonly HandedResult[];
}

interface HandedResult {
  readonly node: string;
  readonly key?: string;
  readonly digest: string;
  readonly file: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** A result that another leg made. */
export interface GivenResult {
  /** The leg that handed it over. */
  readonly from: string;
  readonly key: string | undefined;
  readonly digest: string;
  /** Writes the result's folder into the empty folder `into`; fails with kind `integrity` if it is not what was handed over. */
  restore(into: string): Promise<void>;
}

export function handOverFolder(folder: string, leg: string): string {
  return path.join(folder, leg);
}

/** Writes what a leg made; its folder is there as a whole or as it was. */
export async function handOver(
  leg: Leg,
  made: ReadonlyMap<string, Artifact>,
  where: { readonly folder: string; readonly plan: string; readonly signal?: AbortSignal },
): Promise<HandOver> {
  const final = handOverFolder(where.folder, leg.id);
  const staged = path.join(where.folder, `.${leg.id}-${randomBytes(4).toString('hex')}`);
  await fs.promises.mkdir(staged, { recursive: true });
  try {
    const results: HandedResult[] = [];
    for (const node of leg.makes) {
      const artifact = made.get(node);
      if (artifact === undefined) throw new Error(`the leg ${leg.id} did not make ${node}`);
      results.push(await pack(node, path.dirname(artifact.dir), staged, where.signal));
    }
    const keys = sha256(canonicalJson(results.map(({ node, key, digest }) => [node, key ?? digest])));
    const manifest: HandOver = { format: FORMAT, leg: leg.id, plan: where.plan, keys, results };
    await fs.promises.writeFile(path.join(staged, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    await removeTree(final);
    await fs.promises.rename(staged, final);
    return manifest;
  } finally {
    await removeTree(staged);
  }
}

async function pack(node: string, folder: string, into: string, signal?: AbortSignal): Promise<HandedResult> {
  const made = JSON.parse(await fs.promises.readFile(path.join(folder, ARTIFACT), 'utf8')) as ArtifactRecord;
  const link = leavingLink(made);
  if (link !== undefined) {
    fail({
      kind: 'usage',
      message: `the result of ${node} cannot be handed over: its link ${link} leads out of it`,
      help: "let the stage copy what it links to, or give it the output 'state'",
    });
  }
  const name = `${fileNameOf(node)}.tgz`;
  const file = path.join(into, name);
  await writeArchive(folder, [ARTIFACT, FILES], file, signal);
  return {
    node,
    ...(made.key === undefined ? {} : { key: made.key }),
    digest: made.digest,
    file: name,
    sha256: await hashFile(file),
    size: (await fs.promises.stat(file)).size,
  };
}

/**
 * The results that a leg takes, by node. They are known to be there and to be of this plan, and each is read when the
 * turn of its node comes.
 */
export function takeOver(
  leg: Leg,
  from: { readonly folder: string; readonly plan: string },
): ReadonlyMap<string, GivenResult> {
  const manifests = new Map(leg.needs.map((id) => [id, readManifest(leg, id, from)]));
  return new Map(
    leg.takes.map((take) => {
      const file = path.join(handOverFolder(from.folder, take.leg), MANIFEST);
      const result = manifests.get(take.leg)?.results.find(({ node }) => node === take.node);
      if (result === undefined) return damaged(file, `the result of ${take.node}`, 'others only');
      return [take.node, given(take.leg, result, from.folder)];
    }),
  );
}

function readManifest(leg: Leg, id: string, from: { readonly folder: string; readonly plan: string }): HandOver {
  const folder = handOverFolder(from.folder, id);
  const file = path.join(folder, MANIFEST);
  if (!fs.existsSync(file)) {
    fail({
      kind: 'usage',
      message: `the leg ${leg.id} takes results of ${id}, and there is no ${file}`,
      help: `run \`npx pipeline run-leg ${id}\` first, or bring the folder that it left`,
    });
  }
  const found = readJsonFile(file) as Partial<HandOver> | undefined;
  if (found?.format !== FORMAT || found.leg !== id || !Array.isArray(found.results))
    return damaged(file, `what the leg ${id} handed over`, 'something else');
  if (found.plan !== from.plan) {
    fail({
      kind: 'usage',
      message: `${folder} holds results of ${id} that are of another plan`,
      help: `run \`npx pipeline run-leg ${id}\` again with this plan`,
    });
  }
  return found as HandOver;
}

function given(leg: string, result: HandedResult, folder: string): GivenResult {
  // Only the name of the file counts, not a path: nothing outside the leg's folder is read.
  const file = path.join(handOverFolder(folder, leg), path.basename(result.file));
  return {
    from: leg,
    key: result.key,
    digest: result.digest,
    restore: async (into) => {
      const found = fs.existsSync(file) ? await hashFile(file) : 'no file';
      if (found !== result.sha256) damaged(file, result.sha256, found);
      await extractArchive(file, into);
    },
  };
}

/**
 * Takes a given result into the empty folder `staged`. Fails if it is not what was handed over, or if it was made of
 * other results than those that are handed over here: a leg that was run again may hand over another result than the
 * one that later legs used.
 */
export async function adoptGiven(
  node: string,
  staged: string,
  from: { readonly given: GivenResult; readonly others: ReadonlyMap<string, GivenResult>; readonly run: string },
): Promise<ArtifactRecord> {
  const { given, others } = from;
  const help = `run the leg ${given.from} again`;
  await given.restore(staged);
  const made = await adoptRestored(staged, given.key, from.run);
  if (made?.node !== node || made.digest !== given.digest) {
    return fail({
      kind: 'integrity',
      message: `what ${given.from} handed over as the result of ${node} is something else`,
      file: node,
      wanted: given.digest,
      found: made?.digest ?? 'no whole result',
      help,
    });
  }
  for (const [id, digest] of Object.entries(made.record?.upstream ?? {})) {
    const other = others.get(id);
    if (other === undefined || other.digest === digest) continue;
    fail({
      kind: 'integrity',
      message: `${node} (of ${given.from}) was made of another result of ${id} than ${other.from} hands over`,
      file: id,
      wanted: digest,
      found: other.digest,
      help,
    });
  }
  return made;
}

function damaged(file: string, wanted: string, found: string): never {
  fail({
    kind: 'integrity',
    message: `${file} is not what was handed over`,
    file,
    wanted,
    found,
    help: 'run the leg that made it again, or bring its folder once more',
  });
}
