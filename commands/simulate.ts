// SPDX-License-Identifier: Apache-2.0
import { filledLines } from '../engine/base/filled-lines.js';
import { count, duration } from '../engine/events/text.js';
import { fail } from '../engine/failure.js';
import { makeLegs } from '../engine/legs/legs.js';
import { thisMachine } from '../engine/machine/machine.js';
import { RUNNERS, STARTUP_SECONDS, legGroupsOf } from '../engine/estimate/forecast.js';
import type { Plan } from '../engine/plan/plan.js';
import { type Simulation, type SimulationOptions, simulate } from '../engine/estimate/simulate.js';
import { type Timings, readTimings } from '../engine/estimate/timings.js';
import { type CommandContext, openProject, print, printJson } from './context.js';
import type { Options } from './options.js';
import { chosenBy, planFor } from './planning.js';

const WIDTH = 80;
const MAX_UNKNOWN = 10;
const NO_LEGS = [
  'The pipeline has no `legs` in pipeline.yaml, so it runs on one machine; this is',
  'with a leg for each stage and variant.',
];

/** How long a pipeline would take from cold on several machines, by what its nodes took here. */
export async function run(
  context: CommandContext,
  [pipeline]: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const project = await openProject(context);
  const { plan } = await planFor(context, project, pipeline, chosenBy(options));
  const legs = makeLegs(plan, legGroupsOf(plan));
  const timings = readTimings(project.stateDir);
  const settings = settingsOf(options, timings);
  const result = simulate(plan, legs, settings);
  if (options.flag('json')) printJson(context, asJson(plan.pipeline, settings, timings, result));
  else {
    print(context, asText(context, plan, settings, timings, result));
    if (plan.legGroups.length === 0) print(context, ['', ...NO_LEGS]);
  }
  return 0;
}

function settingsOf(options: Options, timings: Timings): SimulationOptions {
  const runners = options.list('runners').map((text) => wholeNumber('--runners', text));
  const startup = options.text('startup');
  const assumed = options.text('assume');
  return {
    timings: timings.nodes,
    runners: runners.length > 0 ? runners : RUNNERS,
    startupMs: (startup === undefined ? STARTUP_SECONDS : secondsOf('--startup', startup)) * 1000,
    jobs: options.count('jobs') ?? timings.runs[0]?.jobs ?? thisMachine().cores,
    assumedMs: assumed === undefined ? undefined : secondsOf('--assume', assumed) * 1000,
  };
}

function wholeNumber(flag: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1) return number;
  return fail({ kind: 'usage', message: `${flag} ${text} is not a whole number from 1 on`, help: `${flag} 1,4,16` });
}

function secondsOf(flag: string, value: unknown): number {
  const number = Number(value);
  if (String(value).trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  return fail({ kind: 'usage', message: `${flag} ${String(value)} is not a number of seconds`, help: `${flag} 60` });
}

function asJson(pipeline: string, settings: SimulationOptions, timings: Timings, result: Simulation): object {
  const seconds = (ms: number): number => Math.round(ms) / 1000;
  return {
    pipeline,
    startupSeconds: seconds(settings.startupMs),
    jobs: settings.jobs,
    ...(settings.assumedMs === undefined ? {} : { assumedSeconds: seconds(settings.assumedMs) }),
    runs: timings.runs.map(({ run }) => run),
    atLeast: result.atLeast,
    unknown: result.unknown,
    results: result.results.map(({ runners, ms, busy }) => ({
      runners,
      seconds: seconds(ms),
      busy: Math.round(busy * 1000) / 1000,
    })),
    workSeconds: seconds(result.workMs),
    chain: { legs: result.chain.legs, seconds: seconds(result.chain.ms) },
    legs: result.legs.map(({ id, needs, ms, unknown }) => ({ id, needs, seconds: seconds(ms), unknown })),
  };
}

function asText(
  context: CommandContext,
  plan: Plan,
  settings: SimulationOptions,
  timings: Timings,
  result: Simulation,
): string[] {
  const { bold, dim } = context.colors;
  const time = (ms: number): string => `${result.atLeast ? '≥ ' : ''}${duration(ms)}`;
  const { startupMs, jobs } = settings;
  const [slowest] = [...result.results].sort((a, b) => a.runners - b.runners);
  const rows = result.results.map(({ runners, ms, busy }) => {
    const faster = slowest === undefined || ms === 0 ? 1 : slowest.ms / ms;
    // Neither number means anything where the times are lower bounds.
    const [ratio, share] = result.atLeast ? ['?', '?'] : [`${faster.toFixed(1)} ×`, `${Math.round(busy * 100)} %`];
    return row(String(runners), time(ms), ratio, share);
  });
  return [
    bold(`${plan.pipeline}: ${count(plan.nodes.length, 'node')} in ${count(result.legs.length, 'leg')}`),
    `Times: of ${count(timings.runs.length, 'run')} here, the median of each node's last five.`,
    `Each leg: ${duration(startupMs)} to start (--startup), ${count(jobs, 'node')} side by side (-j).`,
    '',
    bold(row('runners', 'time', 'faster', 'at work')),
    ...rows,
    '',
    `All legs together: ${time(result.workMs)}. The longest chain, ${time(result.chain.ms)}:`,
    ...filledLines(result.chain.legs, ' → ', WIDTH - 4).map((line) => `  ${line}`),
    ...unknownLines(result).map((line) => dim(line)),
  ];
}

function row(runners: string, time: string, faster: string, busy: string): string {
  return `  ${runners.padStart(7)}  ${time.padStart(16)}  ${faster.padStart(10)}  ${busy.padStart(8)}`;
}

function unknownLines({ unknown }: Simulation): string[] {
  if (unknown.length === 0) return [];
  const more = unknown.length - MAX_UNKNOWN;
  return [
    '',
    `${count(unknown.length, 'node')} never ran to the end here; the time of each is unknown`,
    '(--assume SECONDS gives them one):',
    ...unknown.slice(0, MAX_UNKNOWN).map((id) => `  ${id}`),
    ...(more > 0 ? [`  and ${more} more (--json has all)`] : []),
  ];
}
