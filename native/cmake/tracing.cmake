# SPDX-License-Identifier: Apache-2.0
# The flavour tracing: IREE's zones and ours are sent to Tracy. IREE's provider
# for it is built here, since its tree comes without Tracy's sources.
if(NOT IREE_PJRT_FLAVOUR STREQUAL "tracing")
  return()
endif()
iree_pjrt_require_file(IREE_PJRT_TRACY_DIR TracyClient.cpp)

set(IREE_ENABLE_RUNTIME_TRACING ON CACHE BOOL "" FORCE)
set(IREE_TRACING_PROVIDER iree_pjrt_tracy CACHE STRING "" FORCE)
set(IREE_TRACING_PROVIDER_H iree/base/tracing/tracy.h CACHE STRING "" FORCE)
# Zones and messages; not every allocation.
set(IREE_TRACING_MODE 1 CACHE STRING "" FORCE)

add_library(iree_pjrt_tracy_client STATIC
  ${IREE_PJRT_IREE_SOURCE_DIR}/runtime/src/iree/base/tracing/tracy.cc)
target_include_directories(iree_pjrt_tracy_client SYSTEM PUBLIC
  ${IREE_PJRT_TRACY_DIR} ${IREE_PJRT_IREE_SOURCE_DIR}/runtime/src)
target_compile_definitions(iree_pjrt_tracy_client PRIVATE
  IREE_TRACING_PROVIDER_H="${IREE_TRACING_PROVIDER_H}"
  IREE_TRACING_MODE=${IREE_TRACING_MODE}
  # It lives in somebody else's process: no port that others can reach, no
  # signal handlers, no samples that need rights, no reading of its code.
  TRACY_ONLY_LOCALHOST TRACY_NO_CRASH_HANDLER TRACY_NO_SYSTEM_TRACING
  TRACY_NO_SAMPLING TRACY_NO_CONTEXT_SWITCH TRACY_NO_CALLSTACK
  TRACY_NO_CODE_TRANSFER)
target_compile_options(iree_pjrt_tracy_client PRIVATE
  -std=c++17 -w -fvisibility=hidden -ffunction-sections -fdata-sections
  -fmacro-prefix-map=${IREE_PJRT_IREE_SOURCE_DIR}=iree)
set_target_properties(iree_pjrt_tracy_client PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(iree_pjrt_tracy_client PUBLIC ${CMAKE_DL_LIBS})

# What IREE links: it exports its own targets, and may not need one of ours.
add_library(iree_pjrt_tracy INTERFACE IMPORTED GLOBAL)
target_link_libraries(iree_pjrt_tracy INTERFACE iree_pjrt_tracy_client)
