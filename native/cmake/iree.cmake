# SPDX-License-Identifier: Apache-2.0
# IREE's runtime, only what the plugin links. Sets IREE_PJRT_IREE_TARGETS.
function(iree_pjrt_set_options)
  foreach(name
      IREE_BUILD_COMPILER IREE_BUILD_TESTS IREE_BUILD_BENCHMARKS IREE_BUILD_SAMPLES IREE_BUILD_DOCS
      IREE_BUILD_PYTHON_BINDINGS IREE_BUILD_BINDINGS_TFLITE
      IREE_ENABLE_LIBBACKTRACE IREE_ENABLE_CPUINFO
      IREE_ERROR_ON_MISSING_SUBMODULES IREE_HAL_DRIVER_DEFAULTS
      IREE_HAL_EXECUTABLE_LOADER_DEFAULTS IREE_HAL_EXECUTABLE_PLUGIN_DEFAULTS
      BENCHMARK_ENABLE_TESTING BENCHMARK_ENABLE_INSTALL)
    set(${name} OFF CACHE BOOL "" FORCE)
  endforeach()
  if(IREE_PJRT_DEVICE STREQUAL "cuda")
    set(enabled IREE_HAL_DRIVER_CUDA)
    # IREE looks for a toolkit, of which its runtime needs cuda.h alone. The
    # other is for its compiler; it only has to be a file.
    set(toolkit ${CMAKE_BINARY_DIR}/cuda-toolkit)
    file(MAKE_DIRECTORY ${toolkit})
    file(CREATE_LINK ${IREE_PJRT_CUDA_HEADERS_DIR} ${toolkit}/include SYMBOLIC)
    set(ENV{IREE_CUDA_DEPS_DIR} ${toolkit})
    set(CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit ON CACHE BOOL "" FORCE)
    set(IREE_CUDA_LIBDEVICE_PATH ${IREE_PJRT_CUDA_HEADERS_DIR}/cuda.h
        CACHE FILEPATH "" FORCE)
  else()
    set(enabled
      IREE_HAL_DRIVER_LOCAL_SYNC IREE_HAL_EXECUTABLE_LOADER_EMBEDDED_ELF
      IREE_HAL_EXECUTABLE_LOADER_SYSTEM_LIBRARY)
  endif()
  foreach(name ${enabled})
    set(${name} ON CACHE BOOL "" FORCE)
  endforeach()
endfunction()
iree_pjrt_set_options()

include(cmake/align_arenas.cmake)
iree_pjrt_align_arenas(${IREE_PJRT_IREE_SOURCE_DIR}/runtime/src ${CMAKE_BINARY_DIR}/aligned)
include_directories(BEFORE ${CMAKE_BINARY_DIR}/aligned)

add_subdirectory(${IREE_PJRT_IREE_SOURCE_DIR} iree EXCLUDE_FROM_ALL SYSTEM)

set(IREE_PJRT_IREE_TARGETS
  iree::base
  iree::base::threading::thread
  iree::hal
  iree::modules::hal
  iree::vm
  iree::vm::bytecode::module)
if(IREE_PJRT_DEVICE STREQUAL "cuda")
  list(APPEND IREE_PJRT_IREE_TARGETS iree::hal::drivers::cuda)
  # NCCL's header wants more of CUDA than it uses.
  target_include_directories(iree_cuda_headers SYSTEM INTERFACE
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/cmake/cuda>)
  # src/cuda/driver.cc says why.
  target_compile_definitions(iree_hal_drivers_cuda_dynamic_symbols.objects PRIVATE
    iree_dynamic_library_load_from_files=iree_pjrt_load_library)
else()
  # src/cpu/workgroups.cc says why. 3.11 has no inline_dispatch.
  foreach(caller local inline_dispatch)
    if(caller STREQUAL local OR TARGET iree_hal_local_${caller}.objects)
      target_compile_definitions(iree_hal_local_${caller}.objects PRIVATE
        iree_hal_local_executable_issue_dispatch_inline=iree_pjrt_issue_dispatch)
    endif()
  endforeach()
  # src/cpu/transfers.cc says why.
  target_compile_definitions(iree_hal_local_local.objects PRIVATE
    iree_hal_buffer_map_copy=iree_pjrt_copy
    iree_hal_buffer_map_fill=iree_pjrt_fill)
  list(APPEND IREE_PJRT_IREE_TARGETS
    iree::hal::drivers::local_sync::sync_driver
    iree::hal::local::executable_library_util
    iree::hal::local::loaders::embedded_elf_loader
    iree::hal::local::loaders::system_library_loader)
endif()
