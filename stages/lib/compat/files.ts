// SPDX-License-Identifier: Apache-2.0

/** What no registry says; schemas/compat-*.schema.json say what is in them. */
export const COMPAT_FILES = {
  jaxlib: 'compat/jaxlib.yaml',
  iree: 'compat/iree.yaml',
  headers: 'compat/pjrt-headers.yaml',
  cudaHeaders: 'compat/cuda-headers.yaml',
  tracy: 'compat/tracy.yaml',
  googletest: 'compat/googletest.yaml',
  ducc: 'compat/ducc.yaml',
} as const;

/** What was run together; apart, because no choice of versions depends on it. */
export const MATRIX_FILE = 'compat/matrix.yaml';
