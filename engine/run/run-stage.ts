// SPDX-License-Identifier: Apache-2.0
/** The stage itself: with its folders, its limit of silence, and an end even if it ignores its signal. */
import { setMaxListeners } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Json } from '../api.js';
import { PipelineFailure } from '../failure.js';
import { abortReason, duration } from '../machine/process.js';
import { workOf, type PlanNode } from '../plan/plan.js';
import { fileNameOf } from '../results/artifact-dir.js';
import { stageContext, type InputSources } from './context.js';
import type { NodeVoice } from './node-voice.js';
import type { RunScope } from './run-scope.js';

/** After an abort a stage gets this long to return; one that ignores its signal is then left behind. */
const ABANDON_MS = 15_000;

const DEFAULT_SILENCE_MS = 30 * 60_000;

export interface StageRun {
  readonly scope: RunScope;
  readonly inputs: InputSources;
  readonly voice: NodeVoice;
  /** Aborted by this function too: when the stage's time is over, and when it has failed. */
  readonly stop: AbortController;
  readonly tempDir: string;
}

/** Returns what the stage returns, as JSON has it; its files are in `outDir`. */
export async function runStage(run: StageRun, outDir: string): Promise<Json> {
  const { scope, inputs, voice, stop } = run;
  const { node } = inputs;
  const dirs = {
    outDir,
    workDir: path.join(scope.options.stateDir, 'work', fileNameOf(workOf(node))),
    tempDir: path.join(run.tempDir, 'scratch'),
  };
  for (const dir of Object.values(dirs)) await fs.promises.mkdir(dir, { recursive: true });
  const signal = AbortSignal.any([scope.signal, stop.signal]);
  // Each command that a stage runs listens, and it may run many at once.
  setMaxListeners(0, signal);
  const limit = node.definition.silenceMs ?? DEFAULT_SILENCE_MS;
  const silence = setTimeout(() => {
    stop.abort(fellSilent(node, limit, voice.log.file));
  }, limit);
  const heard = (): void => {
    if (!signal.aborted) silence.refresh();
  };
  const programs = new Set<Promise<unknown>>();
  const context = stageContext({
    inputs,
    dirs,
    signal,
    locked: scope.options.locked,
    jobs: scope.machine.cores,
    logFile: voice.log.file,
    ledger: scope.ledger,
    onStart: (program) => programs.add(program),
    onOutput: heard,
    onLine: (stream, line) => {
      heard();
      voice.line(stream, line);
    },
    onProgress: (text) => {
      heard();
      voice.progress(text);
    },
    onWarning: (text) => {
      heard();
      voice.warn(text);
    },
  });
  try {
    const value = await endedOrAbandoned(node.definition.run(context), signal);
    if (signal.aborted) throw abortReason(signal);
    return JSON.parse(JSON.stringify(value ?? null)) as Json;
  } catch (error) {
    // What a stage throws after it was told to stop is a consequence, not the cause.
    if (signal.aborted) throw abortReason(signal);
    // Programs that it started side by side may still run: they end before its folders are removed.
    stop.abort(error);
    throw error;
  } finally {
    clearTimeout(silence);
    await Promise.allSettled(programs);
  }
}

function fellSilent(node: PlanNode, limit: number, log: string): PipelineFailure {
  return new PipelineFailure({
    kind: 'timeout',
    message: `${node.id} made no progress for ${duration(limit)}`,
    help: `Its output so far is in ${log}`,
  });
}

async function endedOrAbandoned<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const abandoned = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => {
        reject(abortReason(signal));
      }, ABANDON_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, abandoned]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
