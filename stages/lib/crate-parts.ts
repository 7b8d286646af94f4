// SPDX-License-Identifier: Apache-2.0

/** What is taken of a crate that carries the sources of something else. */
export interface CratePart {
  readonly folder: string;
  /** Paths in the folder; absent: all of it. */
  readonly files?: readonly string[];
}

export const CRATE_PARTS = {
  tracy: { folder: 'tracy' },
  googletest: { folder: 'iree/third_party/googletest' },
  ducc: {
    folder: 'cpp_src',
    // Those that fft.h includes: others beside them may be used under the GPL alone.
    files: [
      'ducc0/fft/fft.h',
      'ducc0/fft/fft1d.h',
      'ducc0/infra/aligned_array.h',
      'ducc0/infra/error_handling.h',
      'ducc0/infra/mav.h',
      'ducc0/infra/misc_utils.h',
      'ducc0/infra/simd.h',
      'ducc0/infra/threading.h',
      'ducc0/infra/useful_macros.h',
      'ducc0/math/cmplx.h',
      'ducc0/math/unity_roots.h',
    ],
  },
} as const satisfies Readonly<Record<string, CratePart>>;
