# SPDX-License-Identifier: Apache-2.0
# Toolchain: zig's bundled clang, against an old glibc, so that the result runs
# on every manylinux_2_28 system without a container.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=native/cmake/zig.cmake -DIREE_PJRT_ZIG=<zig>
#
# IREE_PJRT_ZIG is the zig binary itself (inside the PyPI package `ziglang` it
# is `ziglang/zig`). The environment variable of the same name is the default.

if(NOT IREE_PJRT_ZIG)
  set(IREE_PJRT_ZIG "$ENV{IREE_PJRT_ZIG}")
endif()
if(NOT IREE_PJRT_ZIG)
  find_program(IREE_PJRT_ZIG_FOUND zig)
  set(IREE_PJRT_ZIG "${IREE_PJRT_ZIG_FOUND}")
endif()
if(NOT IREE_PJRT_ZIG)
  message(FATAL_ERROR "set IREE_PJRT_ZIG to the path of the zig binary")
endif()
set(IREE_PJRT_ZIG_TARGET "x86_64-linux-gnu.2.28" CACHE STRING "zig -target")
# try_compile projects read this file again and need the same answers.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES IREE_PJRT_ZIG IREE_PJRT_ZIG_TARGET)

# zig builds its C and C++ libraries once per optimization level that links a
# program, half a minute each. So configure checks link none, and what CMake
# links to identify the compiler has the level of the real build (a later -O
# wins).
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(iree_pjrt_zig_flags -target ${IREE_PJRT_ZIG_TARGET} -O2)
set(CMAKE_C_COMPILER "${IREE_PJRT_ZIG}" cc ${iree_pjrt_zig_flags})
set(CMAKE_CXX_COMPILER "${IREE_PJRT_ZIG}" c++ ${iree_pjrt_zig_flags})
set(CMAKE_ASM_COMPILER "${IREE_PJRT_ZIG}" cc ${iree_pjrt_zig_flags})
