// SPDX-License-Identifier: Apache-2.0
/** A workflow as GitHub reads it: a job for the plan, one per group of legs, provenance, and publishing. */
import type { PlanFile } from '../../engine/legs/plan-file.js';
import { pinned } from './actions.js';
import type { PublishConfig, Workflow } from './config.js';
import { groupsOf } from './matrix.js';
import { downloadLegs, keepResults, LEG_ENV, planSteps, prepare, restoreResults, uploadDist } from './steps.js';

export type Job = Readonly<Record<string, unknown>>;

const READ = { contents: 'read' };
const IS_TAG = "github.event_name == 'push' && startsWith(github.ref, 'refs/tags/v')";
const PLAN_MINUTES = 10;

export function workflowOf(workflow: Workflow, plan: PlanFile): Readonly<Record<string, unknown>> {
  const { name, config } = workflow;
  return {
    name: config.title,
    on: {
      push: { branches: config.branches, ...(config.publish === undefined ? {} : { tags: ['v*'] }) },
      pull_request: null,
      workflow_dispatch: {
        inputs: { variants: { description: 'Only these variants (as --variant has them)', type: 'string' } },
      },
    },
    permissions: {},
    concurrency: {
      group: `${name}-\${{ github.ref }}`,
      'cancel-in-progress': "${{ github.event_name == 'pull_request' }}",
    },
    defaults: { run: { shell: 'bash' } },
    jobs: jobsOf(workflow, plan),
  };
}

function jobsOf(workflow: Workflow, plan: PlanFile): Readonly<Record<string, Job>> {
  const { config } = workflow;
  const groups = groupsOf(workflow);
  const legs = groups.map((group) => [group, legJob(group, workflow, plan)] as const);
  return {
    ...(config.checks.length === 0 ? {} : { checks: checksJob(workflow) }),
    plan: planJob(workflow, groups),
    ...Object.fromEntries(legs),
    ...(config.publish === undefined ? {} : { ...signing(workflow), upload: uploadJob(workflow, config.publish) }),
  };
}

function checksJob({ config }: Workflow): Job {
  return {
    name: 'Checks',
    'runs-on': config.runner,
    'timeout-minutes': config.minutes,
    permissions: READ,
    steps: [...prepare(config.pythons), ...config.checks.map((run) => ({ run }))],
  };
}

function planJob({ name, config }: Workflow, groups: readonly string[]): Job {
  return {
    name: 'Plan',
    'runs-on': config.runner,
    'timeout-minutes': PLAN_MINUTES,
    permissions: READ,
    outputs: Object.fromEntries(groups.map((group) => [group, `\${{ steps.legs.outputs.${group} }}`])),
    steps: [...prepare([]), ...planSteps(name, config)],
  };
}

function legJob(group: string, { config }: Workflow, plan: PlanFile): Job {
  const own = plan.legs.filter((leg) => leg.group === group);
  const groupOf = new Map(plan.legs.map((leg) => [leg.id, leg.group]));
  const needs = new Set(own.flatMap((leg) => leg.needs.flatMap((id) => groupOf.get(id) ?? [])));
  const publish = config.publish?.legs === group ? config.publish : undefined;
  return {
    name: `${group} (\${{ matrix.leg }})`,
    needs: ['plan', ...needs],
    if: `needs.plan.outputs.${group} != '[]'`,
    strategy: { 'fail-fast': false, matrix: { include: `\${{ fromJSON(needs.plan.outputs.${group}) }}` } },
    'runs-on': '${{ matrix.runner }}',
    'timeout-minutes': config.minutes,
    permissions: READ,
    env: LEG_ENV,
    steps: [
      ...prepare(config.pythons),
      downloadLegs(),
      restoreResults(),
      { name: 'Run the leg', run: 'npx pipeline run-leg "$LEG" --plain' },
      ...keepResults(),
      ...(config.dist === group ? [uploadDist('dist', 'dist/')] : []),
      ...(publish === undefined ? [] : [uploadDist('upload-${{ matrix.leg }}', publish.folder)]),
    ],
  };
}

/** What is published comes from a signed dist/. */
function signing(workflow: Workflow): Readonly<Record<string, Job>> {
  const { dist } = workflow.config;
  return dist === undefined ? {} : { provenance: provenanceJob(workflow, dist) };
}

/** Signed by the workflow's identity: which commit, workflow and run each file is of. */
function provenanceJob({ config }: Workflow, dist: string): Job {
  return {
    name: 'Provenance',
    needs: [dist],
    // The identity of a pull request from a fork cannot sign.
    if: "github.event_name != 'pull_request'",
    'runs-on': config.runner,
    'timeout-minutes': PLAN_MINUTES,
    permissions: { 'id-token': 'write', attestations: 'write' },
    steps: [
      { uses: pinned('actions/download-artifact'), with: { name: 'dist', path: 'dist' } },
      { uses: pinned('actions/attest-build-provenance'), with: { 'subject-path': 'dist/*.whl' } },
    ],
  };
}

/** The only job that may publish runs nothing of ours: it hands on files that were tested and rehearsed. */
function uploadJob({ config }: Workflow, publish: PublishConfig): Job {
  const before = [config.checks.length > 0 ? ['checks'] : [], publish.legs, config.dist ? ['provenance'] : []];
  return {
    name: 'Upload',
    needs: before.flat(),
    if: IS_TAG,
    'runs-on': config.runner,
    'timeout-minutes': PLAN_MINUTES,
    environment: publish.environment,
    permissions: { 'id-token': 'write' },
    steps: [
      {
        uses: pinned('actions/download-artifact'),
        with: { pattern: 'upload-*', path: 'dist', 'merge-multiple': true },
      },
      { uses: pinned('pypa/gh-action-pypi-publish'), with: { 'packages-dir': 'dist' } },
    ],
  };
}
