# SPDX-License-Identifier: Apache-2.0
# DUCC's Fourier transforms: a library of its own, as its sources are C++17 and
# nothing else may be compiled by its flags.
add_library(iree_pjrt_ducc STATIC src/ffi/ducc/transform.cc)
set_target_properties(iree_pjrt_ducc PROPERTIES
  CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
  POSITION_INDEPENDENT_CODE ON)
target_include_directories(iree_pjrt_ducc SYSTEM PRIVATE ${IREE_PJRT_DUCC_DIR})
target_compile_definitions(iree_pjrt_ducc PRIVATE DUCC0_CUSTOM_LOWLEVEL_THREADING)
target_compile_options(iree_pjrt_ducc PRIVATE
  "SHELL:-iquote ${CMAKE_CURRENT_SOURCE_DIR}/src"
  "SHELL:-iquote ${CMAKE_CURRENT_SOURCE_DIR}/src/ffi/ducc"
  -Wall -Wextra -fvisibility=hidden -fvisibility-inlines-hidden
  -ffunction-sections -fdata-sections
  # Larger and slower to compile with -O3, and no faster. Sanitized it would
  # compile for longer than all the rest, and it is not ours to look for errors in.
  $<IF:$<BOOL:${IREE_PJRT_ASAN}>,-fno-sanitize=all,$<$<CONFIG:Release>:-O2>>
  # Its plans are kept for the process: what still runs at its end uses them.
  $<$<CXX_COMPILER_ID:Clang>:-fno-c++-static-destructors>
  # Its errors name their source file.
  -fmacro-prefix-map=${IREE_PJRT_DUCC_DIR}=ducc)
