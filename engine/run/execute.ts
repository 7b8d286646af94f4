// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import path from 'node:path';
import type { Artifact } from '../api.js';
import type { Failure } from '../failure.js';
import type { ExecuteOptions } from './execute-options.js';
import { failureOf, removeTree } from '../base/files.js';
import { runNode } from './node-run.js';
import type { Plan, PlanNode } from '../plan/plan.js';
import { abortReason, ChildLedger } from '../machine/process.js';
import { acquireRunLock, type RunLock } from './run-lock.js';
import { RunScope } from './run-scope.js';
import { Slots } from './slots.js';

export interface ExecuteResult {
  readonly ok: boolean;
  /** Failures of nodes in the order they happened; the first decides the exit code. */
  readonly failures: readonly { readonly node: string; readonly failure: Failure }[];
  readonly ran: number;
  readonly hits: number;
  /** Of the nodes that ran or were hits, by id. */
  readonly artifacts: ReadonlyMap<string, Artifact>;
}

/**
 * Runs a plan. What is expected to go wrong comes back in the result; an exception is a bug, and is thrown
 * only after every child is ended and temporary files are removed.
 */
export async function execute(plan: Plan, options: ExecuteOptions): Promise<ExecuteResult> {
  const startedAt = Date.now();
  const scope = new RunScope(plan, options);
  let lock: RunLock | undefined;
  try {
    lock = await acquireRunLock(options.stateDir, {
      noWait: options.noWait,
      signal: options.signal,
      onWait: (holder) => {
        options.emit({ type: 'waiting-for-lock', time: Date.now(), holder });
      },
    });
    await removeStale(path.join(options.stateDir, 'tmp'));
    return await runPlan(scope, startedAt);
  } catch (error) {
    const failure = options.signal.aborted
      ? failureOf(abortReason(options.signal), options.stateDir)
      : failureOf(error, options.stateDir);
    if (failure === undefined) throw error;
    return { ok: false, failures: [{ node: '', failure }], ran: 0, hits: 0, artifacts: new Map() };
  } finally {
    await removeTree(scope.tempDir);
    lock?.release();
  }
}

/** Removes what killed runs left, and ends their children if any still run. The run lock is held: nobody uses it. */
async function removeStale(tempRoot: string): Promise<void> {
  if (!fs.existsSync(tempRoot)) return;
  for (const name of fs.readdirSync(tempRoot)) {
    await ChildLedger.endLeftovers(path.join(tempRoot, name, 'children'));
    await removeTree(path.join(tempRoot, name));
  }
}

interface Tally {
  readonly failures: { node: string; failure: Failure }[];
  ran: number;
  hits: number;
  skipped: number;
}

async function runPlan(scope: RunScope, startedAt: number): Promise<ExecuteResult> {
  const { plan } = scope;
  const tally: Tally = { failures: [], ran: 0, hits: 0, skipped: 0 };
  scope.emit({
    type: 'run-started',
    time: startedAt,
    run: scope.run,
    pipeline: plan.pipeline,
    nodes: plan.nodes.map(({ id, definition, needs }) => ({ id, title: definition.title, needs })),
    jobs: scope.options.jobs,
  });
  try {
    await schedule(scope, tally).finally(() => scope.idle());
    await scope.settled();
    await scope.hashes.save();
  } catch (error) {
    const failure = failureOf(error, scope.options.stateDir);
    if (failure === undefined) throw error;
    tally.failures.push({ node: '', failure });
  }
  if (scope.signal.aborted && tally.failures.length === 0) {
    const failure = failureOf(abortReason(scope.signal), '');
    if (failure !== undefined) tally.failures.push({ node: '', failure });
  }
  const { failures, ran, hits, skipped } = tally;
  const ok = failures.length === 0;
  const durationMs = Date.now() - startedAt;
  scope.emit({ type: 'run-finished', time: Date.now(), ok, ran, hits, failed: failures.length, skipped, durationMs });
  await scope.files.close();
  return { ok, failures, ran, hits, artifacts: scope.artifacts };
}

/**
 * Starts each node once all it needs is done, in plan order, as many at a time as cores and memory allow. After a
 * failure what depends on it is skipped; what does not still runs.
 */
async function schedule(scope: RunScope, tally: Tally): Promise<void> {
  const { plan } = scope;
  const waiting = new Set(plan.nodes);
  const inPlan = new Set(plan.nodes.map((node) => node.id));
  const done = new Set<string>();
  const lost = new Map<string, string>();
  const running = new Set<Promise<void>>();
  const slots = new Slots(scope.options.jobs, scope.machine);
  let bug: { readonly error: unknown } | undefined;

  const start = async (node: PlanNode): Promise<void> => {
    try {
      const outcome = await runNode(scope, node);
      if (outcome.status === 'failed') {
        tally.failures.push({ node: node.id, failure: outcome.failure });
        lost.set(node.id, node.id);
        return;
      }
      scope.finished(node, outcome.artifact);
      tally[outcome.status === 'hit' ? 'hits' : 'ran'] += 1;
      done.add(node.id);
    } catch (error) {
      bug ??= { error };
      scope.stop(error);
    }
  };

  while (waiting.size > 0 || running.size > 0) {
    for (const node of waiting) {
      const blocker = scope.signal.aborted ? '' : node.needs.find((id) => lost.has(id));
      if (blocker !== undefined) {
        waiting.delete(node);
        tally.skipped += 1;
        const because = blocker === '' ? 'the run was cancelled' : `${lost.get(blocker) ?? blocker} failed`;
        lost.set(node.id, lost.get(blocker) ?? node.id);
        scope.emit({ type: 'node-skipped', time: Date.now(), node: node.id, because });
      } else if (slots.fits(node) && node.needs.every((id) => done.has(id) || !inPlan.has(id))) {
        waiting.delete(node);
        slots.take(node);
        const run = start(node).finally(() => {
          slots.leave(node);
          running.delete(run);
        });
        running.add(run);
      }
    }
    if (running.size > 0) await Promise.race(running);
    else if (waiting.size > 0) throw new Error('the plan is not in the order of its needs');
  }
  if (bug !== undefined) throw bug.error;
}
