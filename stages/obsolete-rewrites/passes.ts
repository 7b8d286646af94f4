// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { ToolsArtifact } from '../artifacts.js';

/** Asks a wheel for what it says of itself, as `npx pipeline plugin-info` does. */
export const PLUGIN_INFO = 'commands/plugin_info.py';

export const PASSES_SETTING = 'obsolete-rewrites.passes';
export const SELECT_SETTING = 'obsolete-rewrites.select';

/** A pass of the plugin over programs (native/src/rewrite/pipeline.cc). */
export interface Pass {
  readonly phase: string;
  readonly name: string;
  /** What would happen without it. */
  readonly why: string;
  /** The releases of IREE that need it, as `from 3.13`; empty: all; undefined: the plugin does not say. */
  readonly releases?: string;
  /** What code is made for where it is needed, `CPUs` or `GPUs`; empty: both; undefined: the plugin does not say. */
  readonly targets?: string;
}

/** The names that were asked for; undefined: all. */
export function chosen(settings: Readonly<Record<string, string>>): readonly string[] | undefined {
  const names = settings[PASSES_SETTING]?.split(',').map((name) => name.trim());
  return names?.filter((name) => name !== '');
}

/** The passes to try, in their order. Fails with `usage` for a name that none has. */
export function select(passes: readonly Pass[], names: readonly string[] | undefined): readonly Pass[] {
  const unknown = names?.filter((name) => !passes.some((pass) => pass.name === name)) ?? [];
  if (unknown.length > 0) {
    fail({
      kind: 'usage',
      message: `the plugin has no pass ${unknown.join(', ')}`,
      help: 'npx pipeline plugin-info --passes lists them',
    });
  }
  return names === undefined ? passes : passes.filter(({ name }) => names.includes(name));
}

export async function passesOf(context: StageContext, wheel: string): Promise<readonly Pass[]> {
  const tools = context.artifact<ToolsArtifact>('setup-tools');
  const python = path.join(tools.dir, tools.value.python);
  const { stdout } = await context.exec(python, [PLUGIN_INFO, wheel], { echo: false });
  const [info] = JSON.parse(stdout) as readonly { readonly passes?: readonly Pass[] | null; readonly error?: string }[];
  if (info?.passes) return info.passes;
  throw new Error(`${wheel} does not list its passes: ${info?.error ?? 'no answer'}`);
}
