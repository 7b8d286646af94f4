// SPDX-License-Identifier: Apache-2.0

/** The part of an IREE tree that a runtime build reads: what CMake includes, and the sources of CPU and CUDA drivers. */
export const IREE_PATTERNS: readonly string[] = [
  'CMakeLists.txt',
  'LICENSE',
  'build_tools/cmake/**',
  'build_tools/embed_data/**',
  'build_tools/scripts/generate_vm_isa.py',
  'build_tools/third_party/**',
  'compiler/CMakeLists.txt',
  'compiler/bindings/c/**',
  'runtime/CMakeLists.txt',
  'runtime/version*.json',
  'runtime/src/**',
  'tests/CMakeLists.txt',
  'tools/*',
  'third_party/{benchmark,cpuinfo,dlmalloc,flatcc,nccl,printf}/**',
  '!**/{.git,BUILD.bazel,*.md,*.mlir,*.bzl}',
  '!**/.git/**',
  '!runtime/src/iree/hal/drivers/{amdgpu,hip,metal,vulkan,webgpu}/**',
  '!third_party/*/{test,tests,doc,docs,samples,bindings}/**',
];
