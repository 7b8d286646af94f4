// SPDX-License-Identifier: Apache-2.0
import type { ToolSpec } from '../engine/api.js';
import { PipelineFailure } from '../engine/failure.js';
import { runCommand } from '../engine/machine/process.js';
import { type ProbeRunner, type ProbedTool, probeTool } from '../engine/machine/tools.js';

const PROBE_TIMEOUT_MS = 20_000;

/** Runs probes for real; a program that is not there, fails or hangs is one that did not answer. */
export function probeRunner(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal = new AbortController().signal,
): ProbeRunner {
  return async (command, args) => {
    try {
      return await runCommand({
        command,
        args,
        cwd,
        env: { ...env, LC_ALL: 'C' },
        options: { okCodes: Array.from({ length: 256 }, (_, code) => code), echo: false, timeoutMs: PROBE_TIMEOUT_MS },
        signal,
        onLine: () => undefined,
      });
    } catch (error) {
      if (error instanceof PipelineFailure && !signal.aborted) return undefined;
      throw error;
    }
  };
}

/** For the engine: looks for a tool once, whoever asks. */
export function toolFinder(run: ProbeRunner): (tool: ToolSpec) => Promise<ProbedTool> {
  const known = new Map<string, Promise<ProbedTool>>();
  return (tool) => {
    const id = JSON.stringify([tool.name, tool.probes, tool.needs]);
    const found = known.get(id) ?? probeTool(tool, run);
    known.set(id, found);
    return found;
  };
}
