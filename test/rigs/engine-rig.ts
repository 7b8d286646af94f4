// SPDX-License-Identifier: Apache-2.0
/** A checkout in a temporary folder, and small stages to run in it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { StageContext, StageDefinition, StageInputs } from '../../engine/api.js';
import type { Event } from '../../engine/events/event.js';
import { execute, type ExecuteResult } from '../../engine/run/execute.js';
import type { ExecuteOptions } from '../../engine/run/execute-options.js';
import { codeByFolder } from '../../engine/results/stage-code.js';
import type { PlanNode } from '../../engine/plan/plan.js';

export interface TestStage extends Partial<Omit<StageDefinition, 'inputs' | 'run'>> {
  readonly needs?: readonly string[];
  readonly options?: unknown;
  readonly files?: readonly string[];
  readonly inputs?: Partial<StageInputs>;
  readonly run?: (context: StageContext) => unknown;
}

export interface RunRecord extends ExecuteResult {
  readonly events: readonly Event[];
  /** Ids of the nodes that ran, in the order they started. */
  readonly started: readonly string[];
}

export class EngineRig {
  readonly root: string;
  readonly stateDir: string;

  constructor(root: string = fs.mkdtempSync(path.join(os.tmpdir(), 'engine-rig-'))) {
    this.root = root;
    this.stateDir = path.join(root, '.pipeline');
  }

  write(file: string, text: string): string {
    const full = path.join(this.root, file);
    fs.mkdirSync(path.dirname(full), { recursive: true });
    fs.writeFileSync(full, text);
    return full;
  }

  read(file: string): string {
    return fs.readFileSync(path.join(this.root, file), 'utf8');
  }

  exists(file: string): boolean {
    return fs.existsSync(path.join(this.root, file));
  }

  /** Paths below a folder of the checkout, sorted; empty if there is none. */
  list(folder: string): string[] {
    if (!this.exists(folder)) return [];
    return (fs.readdirSync(path.join(this.root, folder), { recursive: true }) as string[]).sort();
  }

  async run(stages: Readonly<Record<string, TestStage>>, more: Partial<ExecuteOptions> = {}): Promise<RunRecord> {
    const events: Event[] = [];
    const nodes = Object.entries(stages).map(([name, stage]) => this.#node(name, stage));
    const result = await execute(
      { pipeline: 'test', nodes, legGroups: [] },
      {
        root: this.root,
        stateDir: this.stateDir,
        config: { project: {}, sections: {}, axes: {} },
        settings: {},
        locked: false,
        jobs: 4,
        force: new Set(),
        noWait: false,
        signal: new AbortController().signal,
        code: codeByFolder({ root: this.root, folder: 'code' }),
        findTool: (spec) => Promise.resolve({ spec, state: 'ok', version: '1.0' }),
        ...more,
        emit: (event) => {
          events.push(event);
          more.emit?.(event);
        },
      },
    );
    const started = events.flatMap((event) => (event.type === 'node-started' ? [event.node] : []));
    return { ...result, events, started };
  }

  remove(): void {
    fs.rmSync(this.root, { recursive: true, force: true });
  }

  #node(name: string, stage: TestStage): PlanNode {
    const { needs = [], options = {}, files = [], inputs = {}, run, ...definition } = stage;
    return {
      id: name,
      stage: name,
      options,
      needs,
      variant: { id: '', axes: {} },
      definition: {
        name,
        title: `Make ${name}`,
        schema: name,
        axes: [],
        version: 1,
        output: 'tree',
        ...definition,
        inputs: (context) => Promise.resolve({ files: files.map((file) => path.join(context.root, file)), ...inputs }),
        run: async (context) => (await run?.(context)) ?? null,
      },
    };
  }
}

/** A stage that writes one file with a text that is its value too. */
export function writing(
  file: string,
  text: string | ((context: StageContext) => string),
  more: TestStage = {},
): TestStage {
  return {
    ...more,
    run: (context) => {
      const content = typeof text === 'string' ? text : text(context);
      fs.mkdirSync(path.dirname(path.join(context.outDir, file)), { recursive: true });
      fs.writeFileSync(path.join(context.outDir, file), content);
      return { content };
    },
  };
}
