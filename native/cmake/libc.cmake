# SPDX-License-Identifier: Apache-2.0
# Functions over memory, where zig would link plain ones of its own.
if(IREE_PJRT_ZIG)
  set(memory ${CMAKE_CURRENT_SOURCE_DIR}/libc/memory.c)
  target_sources(iree_pjrt_objects PRIVATE ${memory})
  set_source_files_properties(${memory} PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON
    COMPILE_OPTIONS "-fno-builtin;-fomit-frame-pointer")
endif()
