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

string(REGEX MATCH "^[^-]+" iree_pjrt_target_processor "${IREE_PJRT_ZIG_TARGET}")
if(NOT iree_pjrt_target_processor STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR "${iree_pjrt_target_processor}")
endif()
set(iree_pjrt_zig_flags -target ${IREE_PJRT_ZIG_TARGET})
set(CMAKE_C_COMPILER "${IREE_PJRT_ZIG}" cc ${iree_pjrt_zig_flags})
set(CMAKE_CXX_COMPILER "${IREE_PJRT_ZIG}" c++ ${iree_pjrt_zig_flags})
set(CMAKE_ASM_COMPILER "${IREE_PJRT_ZIG}" cc ${iree_pjrt_zig_flags})

# zig builds its C++ library once for each way of linking a program, half a
# minute each. So configure checks link none, and CMake is told what it would
# otherwise link a C++ program to find out.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
if(NOT IREE_PJRT_ZIG_CLANG_VERSION)
  execute_process(COMMAND "${IREE_PJRT_ZIG}" cc --version
    OUTPUT_VARIABLE iree_pjrt_zig_version COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" IREE_PJRT_ZIG_CLANG_VERSION
    "${iree_pjrt_zig_version}")
  set(IREE_PJRT_ZIG_CLANG_VERSION "${IREE_PJRT_ZIG_CLANG_VERSION}"
    CACHE INTERNAL "")
endif()
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_ID_RUN TRUE)
  set(CMAKE_${language}_COMPILER_ID Clang)
  set(CMAKE_${language}_COMPILER_VERSION "${IREE_PJRT_ZIG_CLANG_VERSION}")
  set(CMAKE_${language}_COMPILER_FRONTEND_VARIANT GNU)
  set(CMAKE_${language}_SIMULATE_ID "")
  set(CMAKE_${language}_PLATFORM_ID Linux)
  set(CMAKE_${language}_STANDARD_COMPUTED_DEFAULT 17)
  set(CMAKE_${language}_EXTENSIONS_COMPUTED_DEFAULT ON)
endforeach()
set(CMAKE_EXECUTABLE_FORMAT ELF)
