# SPDX-License-Identifier: Apache-2.0
# DUCC's Fourier transforms: libraries of their own, as its sources are C++17 and
# nothing else may be compiled by their flags.
function(iree_pjrt_add_ducc library level)
  add_library(${library} STATIC src/ffi/ducc/transform.cc)
  set_target_properties(${library} PROPERTIES
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${library} SYSTEM PRIVATE ${IREE_PJRT_DUCC_DIR})
  target_compile_definitions(${library} PRIVATE
    DUCC0_CUSTOM_LOWLEVEL_THREADING
    IREE_PJRT_DUCC_LEVEL=${level}
    # Its namespace: two of one name would be one for the linker.
    DUCC0_NAMESPACE=ducc0_${level})
  target_compile_options(${library} PRIVATE
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
    -fmacro-prefix-map=${IREE_PJRT_DUCC_DIR}=ducc
    ${ARGN})
endfunction()

iree_pjrt_add_ducc(iree_pjrt_ducc baseline)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  iree_pjrt_add_ducc(iree_pjrt_ducc_avx2 avx2 -mavx2 -mfma)
  # After the other: of a function that both have, of the standard library's, the
  # linker takes the first, which any processor runs.
  target_link_libraries(iree_pjrt_ducc INTERFACE iree_pjrt_ducc_avx2)
endif()
