// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import { validRange } from '@renovatebot/pep440';
import type { StageContext } from '../../engine/api.js';
import { fail, PipelineFailure } from '../../engine/failure.js';
import type { Lock, LockOrigin, ResolveArtifact } from '../artifacts.js';
import { loadCompat, type Compat } from '../lib/compat/rows.js';
import { resolveFrameworks } from './frameworks.js';
import { resolveCudaHeaders, resolveHeaders } from './headers.js';
import { resolveIree } from './iree.js';
import { LOCK_FILE, originOf, updateAsked, type ResolveOptions } from './inputs.js';
import { diffLocks, inputsOf, readLock, sealLock, writeLock } from './lock.js';
import { SOURCE_PARTS } from '../lib/source-parts.js';
import { resolveCratePart, resolveDucc, resolveTracy } from './source-parts.js';
import { checkBuilds } from './local.js';
import { makeResolver } from './resolver.js';

/** The lock, and a compiler of the developer's own, of which the lock says nothing. */
export async function resolveVersions(context: StageContext<ResolveOptions>): Promise<ResolveArtifact> {
  const compat = await loadCompat(context.root);
  const lock = await lockFor(context, compat);
  const compiler = await checkBuilds(context, lock, compat);
  return { lock, ...(compiler ? { compiler } : {}) };
}

/** The lock, if it still fits what is wished; else a new one, written and told. */
async function lockFor(context: StageContext<ResolveOptions>, compat: Compat): Promise<Lock> {
  const origin = originOf(context);
  checkRange(origin.iree);
  const file = path.join(context.root, LOCK_FILE);
  const { lock: held, foreign } = await readLock(file);
  if (held && !updateAsked(context) && held.inputs === inputsOf(origin, held, compat)) {
    context.log(
      `${LOCK_FILE} fits: jaxlib ${held.framework.jaxlib}, IREE ${held.iree.map(({ runtime }) => runtime.version).join(', ')}`,
    );
    return held;
  }
  if (context.locked) return foreign ? refuseForeign(foreign.problems) : refuseIfChanged(context, held, origin, compat);
  if (foreign) context.log(`${LOCK_FILE} is of another version of the pipeline: ${foreign.problems.join('; ')}`);
  const lock = await resolveLock(context, origin, compat);
  const before = held ?? foreign?.content;
  const changes = before ? diffLocks(before, lock) : [];
  if (held?.digest === lock.digest) {
    context.log(`${LOCK_FILE} is up to date`);
    return held;
  }
  for (const change of changes) context.log(change);
  context.log(before ? `${LOCK_FILE}: ${changes.length} changes` : `${LOCK_FILE} is new`);
  await writeLock(file, lock);
  return lock;
}

/**
 * Fails for a range that is none. The schema checks ranges of pipeline.yaml, but nothing has checked the command line.
 */
function checkRange(iree: string): void {
  if (iree.trim() !== '' && validRange(iree)) return;
  fail({
    kind: 'usage',
    message: `constraints.iree is no PEP 440 version range: '${iree}'`,
    help: "write --set 'constraints.iree=>=3.11,<3.12'",
  });
}

/** Resolves without a look at the lock that is there. */
export async function resolveLock(
  context: StageContext<ResolveOptions>,
  origin: LockOrigin,
  compat: Compat,
): Promise<Lock> {
  const resolver = makeResolver(context, origin, compat);
  context.progress('ask the registries for jaxlib');
  const frameworks = await resolveFrameworks(resolver);
  const [framework] = frameworks;
  if (!framework) throw new Error('resolveFrameworks gave none');
  context.progress('ask the registries for IREE, the headers, Tracy and DUCC');
  const [iree, pjrtHeaders, cudaHeaders, tracy, googletest, ducc] = await Promise.all([
    resolveIree(resolver, frameworks),
    resolveHeaders(resolver, framework, frameworks),
    resolveCudaHeaders(resolver),
    resolveTracy(resolver),
    resolveCratePart(resolver, compat.googletest, SOURCE_PARTS.googletest),
    resolveDucc(resolver),
  ]);
  const chosen = { framework, frameworks, iree, pjrtHeaders, cudaHeaders, tracy, googletest, ducc };
  return sealLock({ lockVersion: 1, inputs: inputsOf(origin, chosen, compat), from: origin, ...chosen });
}

function refuseForeign(problems: readonly string[]): never {
  return fail({
    kind: 'lock',
    message: `${LOCK_FILE} was written by another version of the pipeline, and --locked forbids to renew it`,
    detail: problems.join('\n'),
    help: 'run `npx pipeline resolve` and commit the new lock',
  });
}

/** Under --locked: what would change is said, if it can be found out; nothing is written. */
async function refuseIfChanged(
  context: StageContext<ResolveOptions>,
  held: Lock | undefined,
  origin: LockOrigin,
  compat: Compat,
): Promise<Lock> {
  if (!held) {
    return fail({
      kind: 'lock',
      message: `--locked, but there is no ${LOCK_FILE}`,
      help: 'run `npx pipeline resolve` and commit what it writes',
    });
  }
  let changes: readonly string[];
  try {
    const lock = await resolveLock(context, origin, compat);
    if (lock.digest === held.digest) return held;
    changes = diffLocks(held, lock);
  } catch (error) {
    if (!(error instanceof PipelineFailure) || error.failure.kind === 'cancelled') throw error;
    changes = [...diffOrigins(held.from, origin), `(what it would resolve to is not known: ${error.failure.message})`];
  }
  return fail({
    kind: 'lock',
    message: `${LOCK_FILE} does not fit pipeline.yaml and compat/ any more, and --locked forbids to renew it`,
    detail: changes.length === 0 ? 'only rows of compat/ that it was resolved from' : changes.join('\n'),
    help: 'run `npx pipeline resolve` and commit the new lock',
  });
}

function diffOrigins(before: LockOrigin, after: LockOrigin): string[] {
  return Object.entries(after).flatMap(([key, now]) => {
    const [was, is] = [String(before[key as keyof LockOrigin]), String(now)];
    return was === is ? [] : [`~ from.${key}: ${was} -> ${is}`];
  });
}
