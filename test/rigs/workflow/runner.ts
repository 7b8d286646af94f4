// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the jobs of a workflow file on this machine: each in a clean folder of its own, matrices expanded, every `run:`
 * as it stands in the file, what is handed over going through the emulated actions only.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { cleanEnv } from '../pipeline-run.js';
import { EMULATED } from './actions.js';
import { asText, condition, type Contexts, interpolate } from './expression.js';
import { type JobFile, jobsFor, type StepFile, type WorkflowFile } from './file.js';

export interface RunnerOptions {
  /** Clean folders and what GitHub would keep lie in it. */
  readonly folder: string;
  /** Repository that `actions/checkout` clones. */
  readonly origin: string;
  readonly github: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface JobRun {
  readonly job: string;
  /** Its row of the matrix. */
  readonly row: Readonly<Record<string, string>>;
  readonly result: 'success' | 'failure' | 'skipped';
  readonly outputs: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly log: string;
}

interface StepRun {
  readonly ok: boolean;
  readonly outputs: JobRun['outputs'];
  readonly log: string;
}

interface Made {
  readonly result: JobRun['result'];
  readonly outputs: JobRun['outputs'];
}

export class WorkflowRunner {
  readonly runs: JobRun[] = [];
  readonly #workflow: WorkflowFile;
  readonly #options: RunnerOptions;
  readonly #made = new Map<string, Made>();

  constructor(workflow: WorkflowFile, options: RunnerOptions) {
    this.#workflow = workflow;
    this.#options = options;
  }

  /** These jobs and what they need, one after the other. */
  async run(names: readonly string[]): Promise<readonly JobRun[]> {
    for (const name of jobsFor(this.#workflow, names)) {
      const job = this.#workflow.jobs[name];
      if (job === undefined) throw new Error(`there is no job ${name}`);
      const runs = await this.#runJob(name, job);
      this.runs.push(...runs);
      const failed = runs.some(({ result }) => result === 'failure');
      const skipped = runs.every(({ result }) => result === 'skipped');
      const outputs = Object.assign({}, ...runs.map((run) => run.outputs)) as JobRun['outputs'];
      this.#made.set(name, { result: failed ? 'failure' : skipped ? 'skipped' : 'success', outputs });
    }
    return this.runs;
  }

  async #runJob(name: string, job: JobFile): Promise<JobRun[]> {
    const needs = Object.fromEntries((job.needs ?? []).map((need) => [need, this.#made.get(need)]));
    const contexts: Contexts = { github: this.#options.github, inputs: this.#options.inputs ?? {}, needs };
    const failed = Object.values(needs).some((need) => need?.result !== 'success');
    const empty = { job: name, row: {}, outputs: {}, workspace: '', log: '' };
    if (!condition(job.if, contexts, { failed })) return [{ ...empty, result: 'skipped' }];
    const rows =
      job.strategy === undefined
        ? [{}]
        : (interpolate(job.strategy.matrix.include, contexts) as readonly Readonly<Record<string, string>>[]);
    if (rows.length === 0) throw new Error(`the matrix of ${name} has no rows, which GitHub refuses`);
    const runs: JobRun[] = [];
    for (const row of rows) runs.push(await this.#runRow(name, job, row, contexts));
    return runs;
  }

  async #runRow(name: string, job: JobFile, row: JobRun['row'], outer: Contexts): Promise<JobRun> {
    const workspace = path.join(this.#options.folder, 'jobs', [name, ...Object.values(row).slice(0, 1)].join('-'));
    fs.mkdirSync(workspace, { recursive: true });
    const steps: Record<string, { outputs: JobRun['outputs'] }> = {};
    const state = { failed: false, log: '' };
    for (const step of job.steps) {
      const contexts = { ...outer, matrix: row, steps };
      if (!condition(step.if, contexts, state)) continue;
      const done = await this.#runStep(step, job, workspace, contexts);
      state.log += done.log;
      state.failed ||= !done.ok;
      if (step.id !== undefined) steps[step.id] = { outputs: done.outputs };
    }
    const contexts = { ...outer, matrix: row, steps };
    const outputs = mapTexts(job.outputs ?? {}, contexts);
    return { job: name, row, result: state.failed ? 'failure' : 'success', outputs, workspace, log: state.log };
  }

  async #runStep(step: StepFile, job: JobFile, workspace: string, contexts: Contexts): Promise<StepRun> {
    if (step.run !== undefined) return this.#runScript(step.run, { ...job.env, ...step.env }, workspace, contexts);
    const [name = ''] = (step.uses ?? '').split('@');
    const action = EMULATED[name];
    if (action === undefined) throw new Error(`${name} is not emulated here`);
    const { folder, origin } = this.#options;
    const inputs = Object.fromEntries(
      Object.entries(step.with ?? {}).map(([key, value]) => [
        key,
        typeof value === 'string' ? interpolate(value, contexts) : value,
      ]),
    );
    const log = `## ${name} ${JSON.stringify(inputs)}\n`;
    try {
      const outputs = action(inputs, { workspace, origin, storage: path.join(folder, 'kept') });
      return { ok: true, outputs, log };
    } catch (error) {
      return { ok: false, outputs: {}, log: `${log}${String(error)}\n` };
    }
  }

  async #runScript(
    text: string,
    env: Readonly<Record<string, string>>,
    workspace: string,
    contexts: Contexts,
  ): Promise<StepRun> {
    const run = asText(interpolate(text, contexts));
    if (run === 'npm ci' && this.#takeModules(workspace)) return { ok: true, outputs: {}, log: '## npm ci (kept)\n' };
    const temporary = fs.mkdtempSync(path.join(this.#options.folder, 'step-'));
    const [script, output] = [path.join(temporary, 'script.sh'), path.join(temporary, 'output')];
    fs.writeFileSync(script, run);
    fs.writeFileSync(output, '');
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: workspace,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...cleanEnv(),
        ...this.#options.env,
        CI: 'true',
        GITHUB_REF: this.#options.github['ref'] ?? '',
        ...mapTexts(env, contexts),
        GITHUB_OUTPUT: output,
      },
    });
    let log = `## ${run}\n`;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number | null];
    if (run === 'npm ci' && status === 0) this.#keepModules(workspace);
    return { ok: status === 0, outputs: parseOutputs(fs.readFileSync(output, 'utf8')), log };
  }

  /** `npm ci` is run once for the lock file: later jobs get links to what it made. */
  #takeModules(workspace: string): boolean {
    const kept = path.join(this.#options.folder, 'node_modules');
    if (!fs.existsSync(kept)) return false;
    execFileSync('cp', ['-al', kept, path.join(workspace, 'node_modules')]);
    return true;
  }

  #keepModules(workspace: string): void {
    execFileSync('cp', ['-al', path.join(workspace, 'node_modules'), path.join(this.#options.folder, 'node_modules')]);
  }
}

function mapTexts(texts: Readonly<Record<string, string>>, contexts: Contexts): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, asText(interpolate(text, contexts))]));
}

function parseOutputs(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const equals = line.indexOf('=');
      if (equals < 1) throw new Error(`an output that is not NAME=VALUE: ${line}`);
      return [line.slice(0, equals), line.slice(equals + 1)];
    }),
  );
}
