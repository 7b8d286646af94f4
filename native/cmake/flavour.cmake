# SPDX-License-Identifier: Apache-2.0
# What a flavour means for compiling and linking, IREE's runtime as well as the
# plugin.
#
# asan: AddressSanitizer, LeakSanitizer and UBSan. Their runtime is shared, and
# the process must have loaded it first (docs/sanitizers.md). Debug information
# stays in the library, so that reports name lines.
if(IREE_PJRT_FLAVOUR STREQUAL "asan")
  set(IREE_PJRT_ASAN ON)
  # Assertions are on, too.
  foreach(language C CXX)
    set(CMAKE_${language}_FLAGS_RELEASE "-O1 -g1 -gz")
  endforeach()
  set(iree_pjrt_sanitizers -fsanitize=address,undefined
    # What AddressSanitizer finds anyhow, or x86-64 and aarch64 do not mind: with
    # these the build takes twice as long and the library has 40 MB more.
    -fno-sanitize=null,object-size,pointer-overflow,alignment,vptr
    # IREE's virtual machine shifts signed numbers to the left (vm/ops.h).
    -fno-sanitize=shift-base)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND iree_pjrt_sanitizers -shared-libasan)
  endif()
  # LeakSanitizer follows frame pointers.
  add_compile_options(${iree_pjrt_sanitizers} -fno-omit-frame-pointer
                      -fno-optimize-sibling-calls
                      -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=native
                      -ffile-prefix-map=${IREE_PJRT_IREE_SOURCE_DIR}=iree)
  add_link_options(${iree_pjrt_sanitizers} -gz)
endif()
