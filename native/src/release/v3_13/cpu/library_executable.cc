// SPDX-License-Identifier: Apache-2.0
#include "release/library_executable.h"

#include "release/library_functions.h"

namespace iree_pjrt {
namespace {

// llvm-cpu makes no globals.
iree_status_t LookupGlobal(iree_hal_executable_t*, iree_string_view_t name,
                           iree_hal_queue_affinity_t, iree_hal_buffer_t** out) {
  *out = nullptr;
  return iree_make_status(IREE_STATUS_NOT_FOUND, "no global '%.*s'",
                          static_cast<int>(name.size), name.data);
}

}  // namespace

void SetLibrary(LibraryExecutable& executable,
                const iree_hal_executable_library_v0_t* library) {
  executable.library = library;
  executable.base.dispatch_attrs = library->exports.attrs;
  executable.base.export_count = library->exports.count;
  executable.base.export_names = library->exports.names;
  IndexFunctions(executable);
}

iree_hal_executable_vtable_t LibraryExecutableVtable(
    void (*destroy)(iree_hal_executable_t*)) {
  using Functions = LibraryFunctions<iree_hal_executable_function_t,
                                     iree_hal_executable_function_info_t,
                                     iree_hal_executable_function_parameter_t,
                                     &iree_hal_executable_function_from_index>;
  return {.destroy = destroy,
          .function_count = &Functions::Count,
          .function_info = &Functions::Describe,
          .function_parameters = &Functions::Parameters,
          .lookup_function_by_name = &Functions::Lookup,
          .lookup_global_by_name = &LookupGlobal};
}

}  // namespace iree_pjrt
