// SPDX-License-Identifier: Apache-2.0
/** A node's result that is there already: in this checkout, in a store, handed over by another machine. */
import fs from 'node:fs';
import path from 'node:path';
import { removeTree } from '../base/files.js';
import { CacheContentError, CacheUnreachableError, type CacheHit } from '../cache/store.js';
import type { HitSource } from '../events/event.js';
import { adoptGiven, type GivenResult } from '../legs/hand-over.js';
import { abortReason } from '../machine/process.js';
import type { PlanNode } from '../plan/plan.js';
import { adoptRestored, type StoredArtifact } from '../results/artifact-dir.js';
import type { NodeVoice } from './node-voice.js';
import type { RunScope } from './run-scope.js';

export interface FoundResult {
  readonly stored: StoredArtifact;
  readonly source: HitSource;
}

export interface Seeker {
  readonly scope: RunScope;
  readonly node: PlanNode;
  readonly voice: NodeVoice;
  readonly tempDir: string;
}

export async function findResult(by: Seeker, key: string): Promise<FoundResult | undefined> {
  const { scope, node } = by;
  const here = scope.folders.open(node.id, key);
  if (here !== undefined) return { stored: here, source: 'unchanged' };
  // A `state` belongs to this machine: no store has it.
  if (node.definition.output !== 'tree') return undefined;
  const hit = await scope.store.lookup(key);
  if (hit === undefined) return undefined;
  const stored = await restore(by, hit, key);
  if (stored === undefined) return undefined;
  scope.restored(hit.source);
  return { stored, source: hit.source };
}

export async function takeOver(by: Seeker, given: GivenResult): Promise<FoundResult> {
  const { folders, run, options } = by.scope;
  const here = given.key === undefined ? undefined : folders.open(by.node.id, given.key);
  if (here?.made.digest === given.digest) return { stored: here, source: 'handed-over' };
  by.voice.progress(`handed over by ${given.from}`);
  const staged = await emptyFolder(by);
  const made = await adoptGiven(by.node.id, staged, { given, others: options.given ?? new Map(), run });
  return { stored: await folders.place(staged, made, run, aside(by)), source: 'handed-over' };
}

async function restore(by: Seeker, hit: CacheHit, key: string): Promise<StoredArtifact | undefined> {
  const { signal, run, folders } = by.scope;
  by.voice.progress('restoring from the cache');
  const staged = await emptyFolder(by);
  try {
    await hit.restore(staged, signal);
    const made = await adoptRestored(staged, key, run);
    if (made !== undefined) return await folders.place(staged, made, run, aside(by));
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    await removeTree(staged);
    // The store itself reports, once for the run, that it cannot be reached.
    if (error instanceof CacheUnreachableError) return undefined;
    if (!(error instanceof CacheContentError)) throw error;
  }
  by.voice.warn('What the cache holds for this stage is damaged; it is made again.');
  await removeTree(staged);
  return undefined;
}

async function emptyFolder({ tempDir }: Seeker): Promise<string> {
  const staged = path.join(tempDir, 'restore');
  await fs.promises.mkdir(staged, { recursive: true });
  return staged;
}

function aside({ tempDir }: Seeker): string {
  return path.join(tempDir, 'aside');
}
