// SPDX-License-Identifier: Apache-2.0
/** What becomes of a result: its files where they are published, itself in the stores. */
import fs from 'node:fs';
import path from 'node:path';
import type { PlanNode } from '../plan/plan.js';
import { ARTIFACT, type ArtifactRecord, FILES, leavingLink, type StoredArtifact } from '../results/artifact-dir.js';
import type { NodeVoice } from './node-voice.js';
import type { RunScope } from './run-scope.js';

/** Publishes files of the result in `dir`; returns their public paths. */
export async function publish(
  scope: RunScope,
  node: PlanNode,
  dir: string,
  made: ArtifactRecord,
): Promise<readonly string[]> {
  const publications = node.definition.publish ?? [];
  for (const { from } of publications.filter(({ show }) => show === true)) {
    const text = await fs.promises.readFile(path.join(dir, from), 'utf8');
    scope.emit({ type: 'node-text', time: Date.now(), node: node.id, text });
  }
  const hashes = new Map(made.files.flatMap((file) => (file.sha256 === undefined ? [] : [[file.path, file.sha256]])));
  return scope.publisher.publish({ node: node.id, publications, dir, hashes });
}

/** Stores the result and removes older ones; nothing waits for it but the end of the run. */
export async function keep(scope: RunScope, voice: NodeVoice, stored: StoredArtifact): Promise<void> {
  const { made, folder } = stored;
  await scope.folders.prune(made.node, stored.artifact.dir);
  if (made.key === undefined || made.output !== 'tree') return;
  const link = leavingLink(made);
  if (link !== undefined) {
    voice.warn(`Not stored in the cache: the link ${link} leads out of the result`);
    return;
  }
  try {
    const meta = { node: made.node, digest: made.digest };
    await scope.store.put(made.key, folder, [ARTIFACT, FILES], meta, scope.signal);
  } catch (error) {
    if (scope.signal.aborted) return;
    // The result itself is safe; a cache that is full or read-only costs time later, not correctness.
    voice.warn(`Not stored in the cache: ${error instanceof Error ? error.message : String(error)}`);
  }
}
