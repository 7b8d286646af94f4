# SPDX-License-Identifier: Apache-2.0
# IREE's runtime, only what the plugin links. Sets IREE_PJRT_IREE_TARGETS.
function(iree_pjrt_set_options)
  foreach(name
      IREE_BUILD_COMPILER IREE_BUILD_TESTS IREE_BUILD_SAMPLES IREE_BUILD_DOCS
      IREE_BUILD_PYTHON_BINDINGS IREE_BUILD_BINDINGS_TFLITE
      IREE_ENABLE_LIBBACKTRACE IREE_ENABLE_CPUINFO
      IREE_ERROR_ON_MISSING_SUBMODULES IREE_HAL_DRIVER_DEFAULTS
      IREE_HAL_EXECUTABLE_LOADER_DEFAULTS IREE_HAL_EXECUTABLE_PLUGIN_DEFAULTS
      BENCHMARK_ENABLE_TESTING BENCHMARK_ENABLE_INSTALL)
    set(${name} OFF CACHE BOOL "" FORCE)
  endforeach()
  foreach(name
      IREE_HAL_DRIVER_LOCAL_SYNC IREE_HAL_DRIVER_LOCAL_TASK IREE_HAL_EXECUTABLE_LOADER_EMBEDDED_ELF
      IREE_HAL_EXECUTABLE_LOADER_SYSTEM_LIBRARY)
    set(${name} ON CACHE BOOL "" FORCE)
  endforeach()
endfunction()
iree_pjrt_set_options()

add_subdirectory(${IREE_PJRT_IREE_SOURCE_DIR} iree EXCLUDE_FROM_ALL SYSTEM)

set(IREE_PJRT_IREE_TARGETS
  iree::base
  iree::hal
  iree::hal::drivers::local_sync::sync_driver
  iree::hal::drivers::local_task::task_driver
  iree::hal::local::executable_library_util
  iree::hal::local::loaders::embedded_elf_loader
  iree::hal::local::loaders::system_library_loader
  iree::modules::hal
  iree::task
  iree::vm
  iree::vm::bytecode::module)
