// SPDX-License-Identifier: Apache-2.0
/** A workflow file, as far as ours use the format. */
import fs from 'node:fs';
import { parse } from 'yaml';

export interface WorkflowFile {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, JobFile>>;
}

export interface JobFile {
  readonly needs?: readonly string[];
  readonly if?: string;
  readonly strategy?: { readonly matrix: { readonly include: string } };
  readonly 'runs-on': string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly StepFile[];
}

export interface StepFile {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function readWorkflow(file: string): WorkflowFile {
  return parse(fs.readFileSync(file, 'utf8')) as WorkflowFile;
}

/** These jobs and all that they need, in an order in which they can be run. */
export function jobsFor(workflow: WorkflowFile, names: readonly string[]): string[] {
  const found: string[] = [];
  const visit = (name: string): void => {
    for (const need of workflow.jobs[name]?.needs ?? []) visit(need);
    if (!found.includes(name)) found.push(name);
  };
  names.forEach(visit);
  return found;
}
