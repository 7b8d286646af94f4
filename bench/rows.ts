// SPDX-License-Identifier: Apache-2.0
/** Tables of what Python scripts measure on the plugin and on XLA:CPU. */
import path from 'node:path';
import { Option } from 'commander';
import { execa } from 'execa';

import { cores, measuredHere, pluginEnv, writeTable } from './report.js';

/** One line of a script's output. */
interface Row {
  readonly what: string;
  /**
   * The largest ratio that is wanted (the smallest, for rows where more is better); null for a row that only informs.
   */
  readonly target: number | null;
  readonly higher_is_better?: boolean;
  readonly unit: string;
  readonly xla: number;
  readonly ours: number;
  readonly ratio: number;
}

export interface VariantOption {
  readonly variant?: string;
}

export function variantOption(): Option {
  return new Option('--variant <name>', 'another variant of the plugin; nothing is written');
}

/**
 * Runs the scripts, pinned to the cores named by BENCH_CORES, and writes the table `name` of README.md. What is measured of
 * another variant is only printed.
 */
export async function measure(name: string, scripts: readonly string[], variant?: string): Promise<void> {
  const env = await pluginEnv(variant);
  const rows = [];
  for (const script of scripts) rows.push(...(await rowsOf(script, env)));
  if (variant === undefined) await writeTable(name, tableOf(rows));
  else console.log(tableOf(rows).join('\n'));
}

async function rowsOf(script: string, env: NodeJS.ProcessEnv): Promise<readonly Row[]> {
  const file = path.join(import.meta.dirname, script);
  // No shell starts Python: bash without SHLVL, with a socket for its input, reads .bashrc, which may put other Pythons
  // first.
  const { stdout } = await execa('taskset', ['-c', cores, 'python', file], { env });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

function verdict({ target, ratio, higher_is_better: higher }: Row): string {
  if (target === null) return '';
  return `${higher ? '≥' : '≤'} ${target} ${(higher ? ratio >= target : ratio <= target) ? '✓' : '✗'}`;
}

function tableOf(rows: readonly Row[]): string[] {
  const body = rows.map((row) => {
    const figures = [row.xla, row.ours].map((value) => `${value.toPrecision(3)} ${row.unit}`);
    return `| ${row.what} | ${figures.join(' | ')} | ${row.ratio.toFixed(2)} | ${verdict(row)} |`;
  });
  return [measuredHere(), '', '| | XLA:CPU | plugin | ratio | target |', '|---|---|---|---|---|', ...body];
}
