# SPDX-License-Identifier: Apache-2.0
# IREE's build runs a tool that it builds (flatcc). When the library is for
# another processor than this one, the tool is built first, for this one.
function(iree_pjrt_build_host_tools)
  set(host ${CMAKE_BINARY_DIR}/host)
  string(REGEX REPLACE "^[^-]+" "${CMAKE_HOST_SYSTEM_PROCESSOR}" host_target
    "${IREE_PJRT_ZIG_TARGET}")
  message(STATUS "Building flatcc for ${host_target}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_SOURCE_DIR} -B ${host} -G
      ${CMAKE_GENERATOR} -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}
      -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE}
      -DIREE_PJRT_ZIG=${IREE_PJRT_ZIG} -DIREE_PJRT_ZIG_TARGET=${host_target}
      -DIREE_PJRT_IREE_SOURCE_DIR=${IREE_PJRT_IREE_SOURCE_DIR}
      -DIREE_PJRT_HEADERS_DIR=${IREE_PJRT_HEADERS_DIR}
      -DIREE_PJRT_DUCC_DIR=${IREE_PJRT_DUCC_DIR}
      -DIREE_PJRT_IREE_VERSION=${IREE_PJRT_IREE_VERSION}
      -DIREE_PJRT_STABLEHLO_VERSION=${IREE_PJRT_STABLEHLO_VERSION}
      -DIREE_PJRT_BUILD_TESTS=OFF
    COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  execute_process(
    COMMAND ${CMAKE_COMMAND} --build ${host} --target iree-flatcc-cli
    COMMAND_ERROR_IS_FATAL ANY)
  set(IREE_HOST_BIN_DIR ${host}/iree/tools CACHE STRING "" FORCE)
endfunction()

if(CMAKE_CROSSCOMPILING AND NOT IREE_HOST_BIN_DIR)
  iree_pjrt_build_host_tools()
endif()
