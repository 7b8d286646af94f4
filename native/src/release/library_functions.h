// SPDX-License-Identifier: Apache-2.0
// The functions by which IREE asks about a LibraryExecutable. Their answers are
// the same in every release; the names of their types are not.
#ifndef IREE_PJRT_RELEASE_LIBRARY_FUNCTIONS_H_
#define IREE_PJRT_RELEASE_LIBRARY_FUNCTIONS_H_

#include "release/library_executable.h"
// The header does not say that it is C.
extern "C" {
#include "iree/hal/local/executable_library_util.h"
}

namespace iree_pjrt {

template <typename Function, typename Info, typename Parameter>
struct LibraryFunctions {
  static const iree_hal_executable_library_v0_t* LibraryOf(
      iree_hal_executable_t* executable) {
    return reinterpret_cast<LibraryExecutable*>(executable)->library;
  }

  static iree_host_size_t Count(iree_hal_executable_t* executable) {
    return iree_hal_executable_library_export_count(LibraryOf(executable));
  }

  static iree_status_t Describe(iree_hal_executable_t* executable,
                                Function function, Info* out) {
    return iree_hal_executable_library_export_info(LibraryOf(executable),
                                                   function, out);
  }

  static iree_status_t Parameters(iree_hal_executable_t* executable,
                                  Function function, iree_host_size_t capacity,
                                  Parameter* out) {
    return iree_hal_executable_library_export_parameters(
        LibraryOf(executable), function, capacity, out);
  }

  static iree_status_t Lookup(iree_hal_executable_t* executable,
                              iree_string_view_t name, Function* out) {
    return iree_hal_executable_library_lookup_export_by_name(
        LibraryOf(executable), name, out);
  }
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RELEASE_LIBRARY_FUNCTIONS_H_
