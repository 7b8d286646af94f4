// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { findWorkflow, type Workflow, workflowsOf } from '../ci/github/config.js';
import { matrixLines, requireTag } from '../ci/github/matrix.js';
import { renderWorkflow } from '../ci/github/render.js';
import { fail } from '../engine/failure.js';
import { writeFileAtomically } from '../engine/base/files.js';
import { suggest } from '../engine/base/nearest.js';
import { readPlanFile } from '../engine/legs/plan-file.js';
import { type CommandContext, type Project, openProject, print } from './context.js';
import { Options } from './options.js';
import { planWithLegs } from './plan.js';
import { chosenBy } from './planning.js';
import { LEGS_FOLDER, PLAN_FILE } from './run-leg.js';

const ACTIONS = ['generate', 'legs'];
const SERVICES = ['github'];
const FOLDER = '.github/workflows';

export async function run(
  context: CommandContext,
  [action = '', service = '', name]: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  requireKnown('action', action, ACTIONS);
  requireKnown('CI service', service, SERVICES);
  const project = await openProject(context);
  if (action === 'legs') return printLegs(context, project, findWorkflow(project.config, name));
  return await generate(context, project, options.flag('check'));
}

/** Writes the files of all workflows, or says how they differ from what would be written. */
async function generate(context: CommandContext, project: Project, check: boolean): Promise<number> {
  let stale = 0;
  for (const workflow of workflowsOf(project.config)) {
    const { file: plan } = await planWithLegs(context, project, workflow.pipeline.name, chosenBy(new Options({})));
    const file = `${FOLDER}/${workflow.name}.yml`;
    const path = join(project.root, file);
    const wanted = renderWorkflow(workflow, plan);
    const found = await readFile(path, 'utf8').catch(() => '');
    if (found === wanted) {
      print(context, `${file} is up to date`);
      continue;
    }
    stale += 1;
    if (check)
      print(context, createTwoFilesPatch(`a/${file}`, `b/${file}`, found, wanted, 'as it is', 'as pipeline.yaml says'));
    else {
      await mkdir(dirname(path), { recursive: true });
      await writeFileAtomically(path, wanted);
      print(context, `wrote ${file}`);
    }
  }
  if (!check || stale === 0) return 0;
  return fail({
    kind: 'lock',
    message: `${stale} of the workflows in ${FOLDER} are not what pipeline.yaml says`,
    help: 'run `npx pipeline ci generate github` and commit what it writes',
  });
}

/** For `$GITHUB_OUTPUT`: the legs of the plan in legs/, as matrices. */
function printLegs(context: CommandContext, project: Project, workflow: Workflow): number {
  const plan = readPlanFile(join(project.root, LEGS_FOLDER, PLAN_FILE));
  if (workflow.config.publish !== undefined)
    requireTag(context.env['GITHUB_REF'], project.config.project.project['version'] as string);
  print(context, matrixLines(plan, workflow));
  return 0;
}

function requireKnown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const help = suggest(name, known, 'there are');
  fail({ kind: 'usage', message: `there is no ${what} '${name}'`, ...(help === undefined ? {} : { help }) });
}
