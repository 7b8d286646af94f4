// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from '@renovatebot/pep440';
import type { JsonObject } from '../../engine/api.js';
import { EXIT_CODES, EXIT_UNKNOWN } from '../../engine/failure.js';
import { readMatrix, type CompatMatrix } from '../../stages/lib/compat/matrix.js';
import { CONFIG_FILE, type CommandContext, findRoot, openProject, print, printJson } from '../context.js';
import type { Options } from '../options.js';
import { readEnvironment, type Environment, type FoundPlugin } from './environment.js';
import { isOf, judge, minorOf, nearestSet, type Judgement, type Verdict, type WorkingSet } from './verdict.js';

const EXIT: Readonly<Record<Verdict, number>> = { works: 0, fails: EXIT_CODES.resolution, unknown: EXIT_UNKNOWN };
const SAY: Readonly<Record<Verdict, string>> = { works: 'works', fails: 'known not to work', unknown: 'unknown' };
const WORST: readonly Verdict[] = ['fails', 'unknown', 'works'];

/** The answer for one plugin. */
interface Answer extends Judgement {
  readonly name: string;
  readonly version?: string;
  readonly flavour?: string;
  readonly runtime?: string;
  /** The command to type if the set does not work, or is not known to. */
  readonly command?: string;
}

/** Says whether what is installed in the user's environment works together, by what was measured. */
export async function run(
  context: CommandContext,
  _: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  // A user in a project of their own gets what this checkout knows.
  const root = findRoot(context.folder);
  const folder = existsSync(join(root, CONFIG_FILE)) ? root : context.home;
  const { config } = await openProject({ ...context, folder });
  const packages = (config.project.sections['packages'] ?? []) as unknown as readonly {
    name: string;
    device: string;
  }[];
  const matrix = await readMatrix(folder);
  const python = options.text('python');
  const names = packages.map(({ name }) => name);
  const environment = await readEnvironment(context, python, names);
  const answers =
    environment.plugins.length > 0
      ? environment.plugins.map((found) => answerFor(found, environment, matrix))
      : [nothingInstalled(packages, environment, matrix)];
  const verdict = WORST.find((each) => answers.some((answer) => answer.verdict === each)) ?? 'unknown';
  if (options.flag('json')) printJson(context, asJson(verdict, environment, answers));
  else print(context, [...describe(environment), ...answers.flatMap((answer) => say(context, answer))]);
  return EXIT[verdict];
}

function answerFor(found: FoundPlugin, environment: Environment, matrix: CompatMatrix): Answer {
  const { installed, installer } = environment;
  if ('error' in found) {
    const { name, error } = found;
    return { name, verdict: 'fails', reasons: [error], command: `${installer} --force-reinstall --no-deps ${name}` };
  }
  const { plugin } = found;
  // The checkout may know more of its own version of the plugin than the wheel did when it was made; of another version
  // it knows nothing.
  const judgement = judge(installed, plugin, isOf(plugin, matrix.plugin) ? matrix.rows : found.rows);
  const { name, version, flavour, runtime, supports } = plugin;
  if (judgement.verdict === 'works') return { name, version, flavour, runtime, ...judgement };
  const versions = judgement.nearest
    ? pinned(judgement.nearest)
    : [`jax${supports.jaxlib}`, `jaxlib${supports.jaxlib}`, `iree-base-compiler${supports.compiler}`];
  return { name, version, flavour, runtime, ...judgement, command: commandOf(installer, versions) };
}

function nothingInstalled(
  packages: readonly { readonly name: string; readonly device: string }[],
  { installed, installer }: Environment,
  matrix: CompatMatrix,
): Answer {
  const [first] = packages;
  const rows = matrix.rows.filter(({ device }) => device === first?.device);
  const newest = rows
    .map(({ runtime }) => runtime)
    .sort(compare)
    .at(-1);
  const nearest = nearestSet(
    installed,
    rows.filter(({ runtime }) => runtime === newest),
  );
  const name = first?.name ?? '';
  return {
    name,
    verdict: 'fails',
    reasons: [`none of our plugins is installed: ${packages.map((entry) => entry.name).join(', ')}`],
    ...(nearest ? { nearest } : {}),
    command: commandOf(installer, [name, ...(nearest ? pinned(nearest) : [])]),
  };
}

function pinned({ jax, jaxlib, compiler }: WorkingSet): string[] {
  return [`jax==${jax}`, `jaxlib==${jaxlib}`, `iree-base-compiler==${compiler}`];
}

function commandOf(installer: string, requirements: readonly string[]): string {
  return [installer, ...requirements.map((text) => (/[<>=]/.test(text) ? `"${text}"` : text))].join(' ');
}

function describe({ executable, installed }: Environment): string[] {
  const packages = [
    ['jax', installed.jax],
    ['jaxlib', installed.jaxlib],
    ['iree-base-compiler', installed.compiler],
  ] as const;
  const found = packages.flatMap(([name, entry]) =>
    entry === undefined ? [] : [`${name} ${'version' in entry ? entry.version : '(broken)'}`],
  );
  return [`Python ${installed.python}, ${executable}`, ...(found.length === 0 ? [] : [found.join(', ')])];
}

function say({ colors }: CommandContext, answer: Answer): string[] {
  const { name, version, runtime, verdict, reasons, nearest, command } = answer;
  const paint = { works: colors.green, fails: colors.red, unknown: colors.yellow }[verdict];
  const title = [name, version, runtime === undefined ? undefined : `(IREE ${runtime})`];
  const lead = nearest ? 'the nearest set that works:' : 'try:';
  return [
    `${title.filter((part) => part !== undefined).join(' ')}: ${paint(SAY[verdict])}`,
    ...reasons.map((reason) => `  ${reason}`),
    ...(command === undefined ? [] : [`  ${lead}`, `    ${command}`]),
  ];
}

function asJson(verdict: Verdict, { executable, installed }: Environment, answers: readonly Answer[]): JsonObject {
  const { python, jax, jaxlib, compiler, compilerLibrary } = installed;
  return {
    verdict,
    python: { executable, version: python, minor: minorOf(python) },
    installed: JSON.parse(
      JSON.stringify({ jax, jaxlib, 'iree-base-compiler': compiler, compilerLibrary }),
    ) as JsonObject,
    plugins: JSON.parse(JSON.stringify(answers)) as JsonObject[],
  };
}
