// SPDX-License-Identifier: Apache-2.0
import type { ResolvedConfig, ResolvedPipeline } from '../../engine/config/types.js';
import { fail } from '../../engine/failure.js';
import { suggest } from '../../engine/base/nearest.js';
import { findPipeline } from '../../engine/plan/plan.js';

/** One entry of `ci.github` in pipeline.yaml: schemas/pipeline.schema.json says what each key means. */
export interface WorkflowConfig {
  readonly title: string;
  readonly pipeline: string;
  readonly branches: readonly string[];
  readonly runner: string;
  readonly runners: readonly RunnerChoice[];
  readonly pythons: readonly string[];
  readonly checks: readonly string[];
  readonly minutes: number;
  /** The group of legs whose dist/ is kept, and signed if it is published. */
  readonly dist?: string;
  readonly publish?: PublishConfig;
}

export interface RunnerChoice {
  readonly legs?: string;
  readonly where?: Readonly<Record<string, string>>;
  readonly runner: string;
}

export interface PublishConfig {
  readonly legs: string;
  readonly where?: Readonly<Record<string, string>>;
  readonly environment: string;
  /** Folder of the files to upload, which a leg leaves. */
  readonly folder: string;
  /** Setting with which the legs do all but the upload. */
  readonly rehearse: string;
}

export interface Workflow {
  readonly name: string;
  readonly config: WorkflowConfig;
  readonly pipeline: ResolvedPipeline;
}

/** The workflows of pipeline.yaml, in its order. */
export function workflowsOf(config: ResolvedConfig): readonly Workflow[] {
  const ci = config.project.sections['ci'] as
    { readonly github?: Readonly<Record<string, WorkflowConfig>> } | undefined;
  const entries = Object.entries(ci?.github ?? {});
  if (entries.length === 0) {
    fail({
      kind: 'usage',
      message: `${config.file} names no workflow`,
      help: 'say which pipeline it runs under `ci.github`: npx pipeline docs ci',
    });
  }
  return entries.map(([name, workflow]) => {
    const pipeline = findPipeline(config, workflow.pipeline);
    const groups = pipeline.legs.map((group) => group.name);
    const named = [workflow.dist, workflow.publish?.legs, ...workflow.runners.map(({ legs }) => legs)];
    for (const group of named) if (group !== undefined) requireName('group of legs', group, groups, pipeline.name);
    return { name, config: workflow, pipeline };
  });
}

export function findWorkflow(config: ResolvedConfig, name: string | undefined): Workflow {
  const all = workflowsOf(config);
  const found = all.find((workflow) => workflow.name === name);
  const names = all.map((workflow) => workflow.name);
  return found ?? refuse(`there is no workflow '${name ?? ''}'`, suggest(name ?? '', names, 'workflows'));
}

function requireName(what: string, name: string, known: readonly string[], pipeline: string): void {
  if (!known.includes(name))
    refuse(`the pipeline ${pipeline} has no ${what} '${name}'`, suggest(name, known, 'it has'));
}

function refuse(message: string, help: string | undefined): never {
  fail({ kind: 'usage', message, ...(help === undefined ? {} : { help }) });
}
