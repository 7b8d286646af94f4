// SPDX-License-Identifier: Apache-2.0
/** How long a plan would take on more machines: list scheduling of its legs, with times that nodes had. */
import type { Leg } from '../legs/legs.js';
import type { Plan } from '../plan/plan.js';

export interface SimulationOptions {
  /** Node id → milliseconds. */
  readonly timings: ReadonlyMap<string, number>;
  /** Numbers of machines. */
  readonly runners: readonly number[];
  /** Milliseconds before a leg's first node: the machine starts, gets the checkout, installs. */
  readonly startupMs: number;
  /** Nodes side by side on one machine. */
  readonly jobs: number;
  /** Milliseconds of a node without a timing. Undefined: the time is unknown, and every result is a lower bound. */
  readonly assumedMs?: number | undefined;
}

export interface SimulatedLeg {
  readonly id: string;
  readonly needs: readonly string[];
  /** Milliseconds of the leg with its start; nodes without a timing count as nothing. */
  readonly ms: number;
  readonly unknown: readonly string[];
}

export interface Simulation {
  readonly legs: readonly SimulatedLeg[];
  readonly results: readonly {
    readonly runners: number;
    readonly ms: number;
    /** Share of the machines' time in which they work, 0 to 1. */
    readonly busy: number;
  }[];
  /** Sum over all legs. */
  readonly workMs: number;
  /** The longest chain of legs that wait for each other; no number of machines is faster. */
  readonly chain: { readonly legs: readonly string[]; readonly ms: number };
  /** Nodes without a timing, in the order of the plan. */
  readonly unknown: readonly string[];
  /** True if something is unknown: then every time is a lower bound. */
  readonly atLeast: boolean;
}

export function simulate(plan: Plan, legs: readonly Leg[], options: SimulationOptions): Simulation {
  const simulated = legs.map((leg) => simulateLeg(plan, leg, options));
  const workMs = sum(simulated.map(({ ms }) => ms));
  const results = options.runners.map((runners) => {
    const ms = makespan(simulated, runners);
    return { runners, ms, busy: ms === 0 ? 0 : workMs / (ms * runners) };
  });
  const lost = new Set(simulated.flatMap(({ unknown }) => unknown));
  const unknown = plan.nodes.map(({ id }) => id).filter((id) => lost.has(id));
  return { legs: simulated, results, workMs, chain: longestChain(simulated), unknown, atLeast: unknown.length > 0 };
}

function simulateLeg(plan: Plan, leg: Leg, options: SimulationOptions): SimulatedLeg {
  const own = new Set([...leg.makes, ...leg.repeats]);
  const nodes = plan.nodes.filter(({ id }) => own.has(id));
  const known = (id: string): number | undefined => options.timings.get(id) ?? options.assumedMs;
  const tasks = nodes.map(({ id, needs }) => ({
    id,
    needs: needs.filter((need) => own.has(need)),
    ms: known(id) ?? 0,
  }));
  const unknown = nodes.map(({ id }) => id).filter((id) => known(id) === undefined);
  return { id: leg.id, needs: leg.needs, ms: options.startupMs + makespan(tasks, options.jobs), unknown };
}

interface Task {
  readonly id: string;
  readonly needs: readonly string[];
  readonly ms: number;
}

/**
 * List scheduling: whenever a worker is free it takes the first task, in the given order, whose needs are done.
 * The same rule as in `execute` and in CI services.
 */
export function makespan(tasks: readonly Task[], workers: number): number {
  const waiting = new Set(tasks);
  const done = new Set<string>();
  let running: { readonly id: string; readonly end: number }[] = [];
  let now = 0;
  while (waiting.size > 0 || running.length > 0) {
    for (const task of waiting) {
      if (running.length >= workers) break;
      if (!task.needs.every((need) => done.has(need))) continue;
      waiting.delete(task);
      running.push({ id: task.id, end: now + task.ms });
    }
    if (running.length === 0) throw new Error('the tasks need each other in a circle, or one that is not there');
    now = Math.min(...running.map(({ end }) => end));
    for (const { id, end } of running) if (end === now) done.add(id);
    running = running.filter(({ end }) => end > now);
  }
  return now;
}

/** The longest chain of tasks. In `tasks` each stands after those that it needs. */
function longestChain(tasks: readonly Task[]): Simulation['chain'] {
  const best = new Map<string, Simulation['chain']>();
  let longest: Simulation['chain'] = { legs: [], ms: 0 };
  for (const task of tasks) {
    let before: Simulation['chain'] = { legs: [], ms: 0 };
    for (const need of task.needs) {
      const chain = best.get(need);
      if (chain !== undefined && chain.ms > before.ms) before = chain;
    }
    const chain = { legs: [...before.legs, task.id], ms: before.ms + task.ms };
    best.set(task.id, chain);
    if (chain.ms > longest.ms) longest = chain;
  }
  return longest;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
