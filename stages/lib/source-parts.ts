// SPDX-License-Identifier: Apache-2.0
import { cp } from 'node:fs/promises';
import path from 'node:path';

/** What is taken of a crate or a source distribution that carries the sources of something else. */
export interface SourcePart {
  readonly folder: string;
  /** Paths in the folder; absent: all of it. */
  readonly files?: readonly string[];
}

export const SOURCE_PARTS = {
  tracy: { folder: 'tracy' },
  googletest: { folder: 'iree/third_party/googletest' },
  ducc: {
    folder: 'src',
    // Those that fftnd_impl.h includes: others beside them may be used under the GPL alone.
    files: [
      'ducc0/fft/fft.h',
      'ducc0/fft/fft1d_impl.h',
      'ducc0/fft/fftnd_impl.h',
      'ducc0/infra/aligned_array.h',
      'ducc0/infra/error_handling.h',
      'ducc0/infra/mav.cc',
      'ducc0/infra/mav.h',
      'ducc0/infra/misc_utils.h',
      'ducc0/infra/simd.h',
      'ducc0/infra/threading.h',
      'ducc0/infra/useful_macros.h',
      'ducc0/math/cmplx.h',
      'ducc0/math/unity_roots.h',
    ],
  },
} as const satisfies Readonly<Record<string, SourcePart>>;

/** Copies the part of what was unpacked in `from`, with the times of its files. */
export async function copyPart(from: string, part: SourcePart, target: string): Promise<void> {
  for (const name of part.files ?? ['.']) {
    await cp(path.join(from, part.folder, name), path.join(target, name), {
      recursive: true,
      preserveTimestamps: true,
    });
  }
}
