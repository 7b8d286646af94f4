// SPDX-License-Identifier: Apache-2.0
import { suggest } from '../../engine/base/nearest.js';
import { EXIT_CODES, fail } from '../../engine/failure.js';
import { cancelOnSignals } from '../../engine/machine/signals.js';
import { type CommandContext, findRoot, openProject, print } from '../context.js';
import { makeTools } from '../compat/measuring.js';
import type { Options } from '../options.js';
import { makeExec, progressOf } from './children.js';
import { renderReport, type Report, works } from './report.js';
import { newestOf, type Trial } from './trial.js';
import { Workspace } from './workspace.js';

type Upgrade = (trial: Trial, version: string) => Promise<Omit<Report, 'files'>>;

const KINDS: Readonly<Record<string, () => Promise<Upgrade>>> = {
  iree: async () => (await import('./iree.js')).upgradeIree,
  jaxlib: async () => (await import('./jaxlib.js')).upgradeJaxlib,
  pjrt: async () => (await import('./pjrt.js')).upgradePjrt,
};

/** Tries a release in a copy of the project, and says what works there. With --apply, takes that copy's files over. */
export async function run(
  context: CommandContext,
  [kind = '', asked]: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const load = KINDS[kind];
  if (!load) {
    return fail({
      kind: 'usage',
      message: `'${kind}' is nothing that can be upgraded`,
      help: suggest(kind, Object.keys(KINDS), 'upgrades') ?? `one of ${Object.keys(KINDS).join(', ')}`,
    });
  }
  if (asked === undefined && (kind === 'pjrt' || options.flag('apply'))) {
    fail({ kind: 'usage', message: `which version of ${kind}?`, help: `npx pipeline upgrade ${kind} VERSION` });
  }
  if (asked !== undefined && !/^[\w.+!-]+$/.test(asked)) {
    fail({ kind: 'usage', message: `'${asked}' is no version`, help: 'as in 3.13.0' });
  }
  const root = findRoot(context.folder);
  if (options.flag('apply')) {
    const files = new Workspace(root, `${kind}-${asked ?? ''}`).apply();
    print(context, files.length === 0 ? 'nothing to change' : `changed: ${files.join(', ')}`);
    return 0;
  }
  const cancellation = cancelOnSignals();
  try {
    return await attempt(context, { kind, asked, upgrade: await load(), root, signal: cancellation.signal });
  } finally {
    cancellation.dispose();
  }
}

interface Attempt {
  readonly kind: string;
  readonly asked: string | undefined;
  readonly upgrade: Upgrade;
  readonly root: string;
  readonly signal: AbortSignal;
}

async function attempt(context: CommandContext, { kind, asked, upgrade, root, signal }: Attempt): Promise<number> {
  const exec = makeExec(context, signal, (line) => {
    const progress = progressOf(line);
    if (progress !== undefined) context.stderr.write(`${context.colors.dim(progress)}\n`);
  });
  const trialIn = async (name: string): Promise<Trial> => {
    const workspace = new Workspace(root, name);
    await workspace.make(exec);
    const inside = { ...context, folder: workspace.root };
    const exitCode = await makeTools({ ...inside, stdout: context.stderr }, await openProject(inside));
    if (exitCode !== 0) fail({ kind: 'test', message: 'setup-tools failed', detail: `exit code ${exitCode}` });
    return { context: inside, exec, workspace };
  };
  const version = asked ?? (await newestOf(await trialIn(kind), kind === 'jaxlib' ? 'jaxlib' : 'iree'));
  const trial = await trialIn(`${kind}-${version}`);
  const report = { ...(await upgrade(trial, version)), files: trial.workspace.changed() };
  print(context, renderReport(report, `npx pipeline upgrade ${kind} ${version} --apply`));
  return works(report) ? 0 : EXIT_CODES.test;
}
