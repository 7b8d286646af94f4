// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import Table from 'cli-table3';
import type { ToolSpec } from '../engine/api.js';
import { EXIT_CODES } from '../engine/failure.js';
import { uniqueTools } from '../engine/machine/tools.js';
import { type Check, type Finding, MACHINE_CHECKS, type Machine, hintFor, tool } from './checks.js';
import { type CommandContext, findRoot, print, printJson } from './context.js';
import type { Options } from './options.js';
import { probeRunner } from './find-tool.js';

export interface Row extends Finding {
  readonly name: string;
  readonly needs: string;
  readonly required: boolean;
  readonly how: string;
}

export async function run(
  context: CommandContext,
  _: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const machine = await thisMachine(context);
  const definitions = await Promise.all(context.stageNames.map((name) => context.loadStage(name)));
  const rows = await examine(
    machine,
    definitions.flatMap((definition) => definition.tools ?? []),
  );
  const ok = rows.every((row) => row.ok || !row.required);
  if (options.flag('json')) printJson(context, { ok, checks: rows });
  else print(context, report(rows, context));
  return ok ? 0 : EXIT_CODES['tool-missing'];
}

/** The machine's own checks, and a row for each tool of a stage that these do not cover. */
export async function examine(machine: Machine, tools: readonly ToolSpec[]): Promise<Row[]> {
  const covered = (spec: ToolSpec): boolean =>
    MACHINE_CHECKS.some((check) => check.name.split(',')[0]?.toLowerCase() === spec.name.toLowerCase());
  const checks: readonly Check[] = [
    ...MACHINE_CHECKS,
    ...uniqueTools(tools)
      .filter((spec) => !covered(spec))
      // Without what only some variants need, the pipeline runs.
      .map((spec) => tool(spec.only === undefined ? spec : { ...spec, required: false })),
  ];
  const rows = await Promise.all(
    checks.map(async (check) => {
      const { name, needs, required, how } = check;
      return { name, needs, required, how: hintFor(how, machine.distro), ...(await check.look(machine)) };
    }),
  );
  return [...rows.filter((row) => row.required), ...rows.filter((row) => !row.required)];
}

const WIDTHS = [15, 19, 10, 32];

/** At most 80 columns wide; how to get something is said only where it is missing. */
export function report(rows: readonly Row[], { colors }: Pick<CommandContext, 'colors'>): string[] {
  const { green, red, yellow, bold } = colors;
  const table = new Table({
    head: ['', 'found', 'needs', 'how to get it'].map((text) => bold(text)),
    colWidths: WIDTHS,
    wordWrap: true,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1 },
    chars: Object.fromEntries(BORDERS.map((name) => [name, ''])),
  });
  for (const row of rows) {
    const mark = row.ok ? green('✓') : row.required ? red('✗') : yellow('–');
    const needs = row.required ? row.needs : 'optional';
    table.push([`${mark} ${row.name}`, row.found, needs, row.ok ? '' : row.how]);
  }
  const missing = rows.filter((row) => !row.ok && row.required).map((row) => row.name);
  const verdict =
    missing.length === 0
      ? green('Everything that is needed is there.')
      : red(`Missing: ${missing.join('; ')}. The pipeline cannot run on this machine yet.`);
  const lines = table.toString().split('\n');
  return [...lines.map((line) => line.trimEnd()), '', verdict];
}

const BORDERS = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
];

async function thisMachine(context: CommandContext): Promise<Machine> {
  const root = findRoot(context.folder);
  const [disk, release] = await Promise.all([statfs(root), readFile('/etc/os-release', 'utf8').catch(() => '')]);
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return {
    node: process.versions.node,
    glibc: report.header?.glibcVersionRuntime,
    // In a container its limit counts, not the host's memory; 0 and absurd values mean that there is none.
    memory: Math.min(totalmem(), process.constrainedMemory() || Infinity),
    freeDisk: disk.bavail * disk.bsize,
    distro: [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap((match) => (match[1] ?? '').split(' ')),
    exists: existsSync,
    run: probeRunner(root, context.env),
  };
}
