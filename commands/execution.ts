// SPDX-License-Identifier: Apache-2.0
import type { EventSink } from '../engine/events/event.js';
import type { ExecuteOptions } from '../engine/run/execute-options.js';
import { codeByFolder } from '../engine/results/stage-code.js';
import { thisMachine } from '../engine/machine/machine.js';
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
      ignore: (path) => /(^|\/)(__pycache__|tests?)\/|\.md$|\.pyc$/.test(path),
    }),
    findTool: toolFinder(probeRunner(project.root, context.env, varying.signal)),
    env: context.env,
  };
}

/** Shows warnings, for commands that run nothing. */
export function warningsOnly(context: CommandContext): EventSink {
  return (event) => {
    if (event.type === 'run-warning') context.stderr.write(`${context.colors.yellow('warning:')} ${event.text}\n`);
  };
}
