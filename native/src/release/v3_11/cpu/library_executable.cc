// SPDX-License-Identifier: Apache-2.0
#include "release/library_executable.h"

#include "release/library_functions.h"

namespace iree_pjrt {
namespace {

iree_hal_executable_export_ordinal_t FunctionAt(uint32_t place) {
  return place;
}

}  // namespace

void SetLibrary(LibraryExecutable& executable,
                const iree_hal_executable_library_v0_t* library) {
  executable.library = library;
  executable.base.dispatch_attrs = library->exports.attrs;
  IndexFunctions(executable);
}

iree_hal_executable_vtable_t LibraryExecutableVtable(
    void (*destroy)(iree_hal_executable_t*)) {
  using Functions =
      LibraryFunctions<iree_hal_executable_export_ordinal_t,
                       iree_hal_executable_export_info_t,
                       iree_hal_executable_export_parameter_t, &FunctionAt>;
  return {.destroy = destroy,
          .export_count = &Functions::Count,
          .export_info = &Functions::Describe,
          .export_parameters = &Functions::Parameters,
          .lookup_export_by_name = &Functions::Lookup};
}

}  // namespace iree_pjrt
