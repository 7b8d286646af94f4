// SPDX-License-Identifier: Apache-2.0
// An executable of IREE's local devices that is an executable library in
// memory; the functions that IREE asks about it differ between releases.
#ifndef IREE_PJRT_RELEASE_LIBRARY_EXECUTABLE_H_
#define IREE_PJRT_RELEASE_LIBRARY_EXECUTABLE_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "iree/hal/local/executable_library.h"
#include "iree/hal/local/local_executable.h"

namespace iree_pjrt {

// `base` comes first: IREE casts pointers to it back and forth.
struct LibraryExecutable {
  iree_hal_local_executable_t base;
  const iree_hal_executable_library_v0_t* library;
  // The places of the functions in the library, by their names.
  std::unordered_map<std::string_view, uint32_t> functions;
};

// Sets the library of an executable whose `base` is initialized.
void SetLibrary(LibraryExecutable& executable,
                const iree_hal_executable_library_v0_t* library);

// The functions over LibraryExecutables; `destroy` frees one.
iree_hal_executable_vtable_t LibraryExecutableVtable(
    void (*destroy)(iree_hal_executable_t*));

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RELEASE_LIBRARY_EXECUTABLE_H_
