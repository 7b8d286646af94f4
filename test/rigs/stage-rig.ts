// SPDX-License-Identifier: Apache-2.0
/** Runs the code of one stage with the engine's own context, without plan and cache. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Artifact, JsonObject, StageContext, StageDefinition } from '../../engine/api.js';
import { stageContext } from '../../engine/run/context.js';
import { ChildLedger } from '../../engine/machine/process.js';

export interface StageRequest {
  readonly options?: unknown;
  readonly sections?: JsonObject;
  readonly axes?: Readonly<Record<string, readonly string[]>>;
  readonly settings?: Readonly<Record<string, string>>;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly upstream?: readonly Artifact[];
  readonly locked?: boolean;
  readonly signal?: AbortSignal;
}

export interface StageOutcome<Value> extends Artifact<Value> {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

export class StageRig {
  readonly root: string;
  /** Kept when a stage fails, too. */
  readonly lines: string[] = [];
  readonly warnings: string[] = [];

  constructor(root: string = fs.mkdtempSync(path.join(os.tmpdir(), 'stage-rig-'))) {
    this.root = root;
  }

  /** A folder below the root, made. */
  folder(name: string): string {
    const folder = path.join(this.root, name);
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }

  context<Options>(definition: StageDefinition<Options>, request: StageRequest = {}): StageContext<Options> {
    const base = fs.mkdtempSync(path.join(this.folder('nodes'), `${definition.name}-`));
    const [outDir, workDir, tempDir] = ['out', 'work', 'temp'].map((name) => path.join(base, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [outDir, workDir, tempDir]) fs.mkdirSync(folder);
    const node = {
      id: definition.name,
      stage: definition.name,
      options: request.options ?? {},
      needs: [],
      variant: { id: '', axes: {} },
      definition: definition as StageDefinition,
    };
    const env = { ...process.env, ...request.env };
    return stageContext({
      inputs: {
        node,
        root: this.root,
        config: { project: {}, sections: request.sections ?? {}, axes: request.axes ?? {} },
        settings: request.settings ?? {},
        env,
        upstream: request.upstream ?? [],
        forecast: () => ({ legs: 1, startupSeconds: 60, jobs: 2, results: [], unknown: [] }),
      },
      dirs: { outDir, workDir, tempDir },
      signal: request.signal ?? new AbortController().signal,
      locked: request.locked ?? false,
      jobs: 2,
      logFile: path.join(base, 'log.txt'),
      ledger: new ChildLedger(path.join(base, 'children')),
      onOutput: () => undefined,
      onLine: (_, line) => this.lines.push(line),
      onProgress: () => undefined,
      onWarning: (text) => this.warnings.push(text),
    }) as StageContext<Options>;
  }

  async run<Options, Value>(
    definition: StageDefinition<Options, Value>,
    request: StageRequest = {},
  ): Promise<StageOutcome<Value>> {
    const context = this.context(definition, request);
    const value = await definition.run(context);
    const { lines, warnings } = this;
    return {
      stage: definition.name,
      variant: context.variant,
      value,
      dir: context.outDir,
      digest: '',
      lines,
      warnings,
    };
  }

  remove(): void {
    fs.rmSync(this.root, { recursive: true, force: true });
  }
}
