// SPDX-License-Identifier: Apache-2.0
import type { StageContext, ToolSpec } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';

/** A compiler of the system with AddressSanitizer's shared runtime: zig's clang has none. */
export interface AsanCompiler {
  readonly cc: string;
  readonly cxx: string;
  /** With its version, e.g. `g++ 12.2.0`. */
  readonly id: string;
}

/** The first that has its runtime, as `-print-file-name` knows it, is taken. */
const CANDIDATES = [
  { cc: 'clang', cxx: 'clang++', runtime: 'libclang_rt.asan-$(uname -m).so' },
  // Where LLVM keeps a folder of runtimes for each target.
  { cc: 'clang', cxx: 'clang++', runtime: 'libclang_rt.asan.so' },
  { cc: 'gcc', cxx: 'g++', runtime: 'libasan.so' },
] as const;

/** A compiler that lacks the file prints the bare name, and no such file is found. */
function probeOf({ cxx, runtime }: (typeof CANDIDATES)[number]): readonly [string, ...string[]] {
  const version = `$(${cxx} -dumpfullversion 2>/dev/null || ${cxx} -dumpversion)`;
  return ['sh', '-c', `test -e "$(${cxx} -print-file-name=${runtime})" && echo "${cxx} ${version}"`];
}

export const ASAN_COMPILER: ToolSpec = {
  name: 'ASAN compiler',
  probes: CANDIDATES.map(probeOf),
  // Which one it is belongs to the version: the results of two compilers differ.
  version: /^(\S+ \S+)/,
  install:
    "install gcc with libasan, or clang with its compiler-rt (the rows 'gcc ASAN', 'clang ASAN' of doctor say how)",
  required: true,
  inKey: true,
  only: { flavour: 'asan' },
};

/** The compiler that the tool's probe found; the engine has made sure that there is one. */
export async function asanCompiler(context: Pick<StageContext, 'exec'>): Promise<AsanCompiler> {
  for (const candidate of CANDIDATES) {
    const [command, ...args] = probeOf(candidate);
    const { exitCode, stdout } = await context.exec(command, args, { okCodes: [0, 1, 127], echo: false });
    if (exitCode === 0) return { cc: candidate.cc, cxx: candidate.cxx, id: stdout.trim() };
  }
  return fail({ kind: 'tool-missing', message: 'no compiler with AddressSanitizer', help: ASAN_COMPILER.install });
}
