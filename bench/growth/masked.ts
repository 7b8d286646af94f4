// SPDX-License-Identifier: Apache-2.0
/** Makes the library that hides AVX-512 and AMX from a process (without_avx512.c). */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { fail } from '../../engine/failure.js';

/** What a processor without them is called by compilers. */
export const MASKED_PROCESSOR = 'x86-64-v3';
const SOURCE = path.join(import.meta.dirname, 'without_avx512.c');

/** The library, made in `folder` by `zig`; a `usage` failure where `cpuinfo` is of a processor that cannot do it. */
export async function maskingLibrary(zig: string, folder: string, cpuinfo = '/proc/cpuinfo'): Promise<string> {
  const processor = await readFile(cpuinfo, 'utf8').catch(() => '');
  if (!/\bcpuid_fault\b/.test(processor)) {
    fail({
      kind: 'usage',
      message: '--without-avx512: this machine cannot hide what its processor has',
      help: `it takes Linux on an Intel processor, whose ${cpuinfo} says cpuid_fault`,
    });
  }
  await mkdir(folder, { recursive: true });
  const library = path.join(folder, 'without_avx512.so');
  const env = { ZIG_GLOBAL_CACHE_DIR: folder, ZIG_LOCAL_CACHE_DIR: folder };
  await execa(zig, ['cc', '-shared', '-fPIC', '-O2', '-Wall', '-Wextra', '-o', library, SOURCE], { env });
  return library;
}
