# SPDX-License-Identifier: Apache-2.0
# What a shipped library is compiled with against overruns of buffers. The
# linker's part (full RELRO, no executable stack) is zig's default.
# glibc 2.28 knows no level above 2.
if(IREE_PJRT_FLAVOUR STREQUAL "release")
  add_compile_options(-fstack-protector-strong
    "$<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()
