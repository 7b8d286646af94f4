// SPDX-License-Identifier: Apache-2.0
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EventSink } from '../engine/events/event.js';
import type { ExecuteOptions } from '../engine/execute-options.js';
import { codeByFolder } from '../engine/fingerprint.js';
import { thisMachine } from '../engine/machine.js';
import type { CommandContext, Project } from './context.js';
import { probeRunner, toolFinder } from './find-tool.js';

type Varying = 'settings' | 'locked' | 'force' | 'noWait' | 'signal' | 'emit';

/** What the engine is told about this program and project, whichever command starts it. */
export function executeOptions(
  context: CommandContext,
  project: Project,
  varying: Pick<ExecuteOptions, Varying | 'given'> & { readonly jobs?: number | undefined },
): ExecuteOptions {
  const machine = thisMachine();
  return {
    ...varying,
    machine,
    jobs: varying.jobs ?? machine.cores,
    root: project.root,
    stateDir: project.stateDir,
    config: project.config.project,
    code: codeByFolder({
      root: context.home,
      folder: 'stages',
      // Any stage may use any of it, so a change there renews the keys of all; of a folder in it only
      // the keys of stages that name its files among their inputs.
      shared: filesOf(join(context.home, 'stages', 'lib')),
      ignore: (path) => /(^|\/)(__pycache__|tests?)\/|\.md$|\.pyc$/.test(path),
    }),
    findTool: toolFinder(probeRunner(project.root, context.env, varying.signal)),
    env: context.env,
  };
}

/** For commands that run nothing: of what is said, they show warnings. */
export function warningsOnly(context: CommandContext): EventSink {
  return (event) => {
    if (event.type === 'run-warning') context.stderr.write(`${context.colors.yellow('warning:')} ${event.text}\n`);
  };
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))
    .sort();
}
