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

// `kAt`: the function at this place in the library.
template <typename Function, typename Info, typename Parameter,
          Function (*kAt)(uint32_t)>
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

  // IREE (3.13) asks before each dispatch of each launch.
  static iree_status_t Lookup(iree_hal_executable_t* executable,
                              iree_string_view_t name, Function* out) {
    const auto& functions =
        reinterpret_cast<LibraryExecutable*>(executable)->functions;
    const auto found = functions.find({name.data, name.size});
    if (found == functions.end()) {
      return iree_make_status(IREE_STATUS_NOT_FOUND, "no function '%.*s'",
                              static_cast<int>(name.size), name.data);
    }
    *out = kAt(found->second);
    return iree_ok_status();
  }
};

// Fills the table of the library's functions.
inline void IndexFunctions(LibraryExecutable& executable) {
  const auto& exports = executable.library->exports;
  if (!exports.names) return;
  for (uint32_t i = 0; i < exports.count; ++i) {
    if (exports.names[i]) executable.functions.emplace(exports.names[i], i);
  }
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RELEASE_LIBRARY_FUNCTIONS_H_
