// SPDX-License-Identifier: Apache-2.0
// Loads the relocatable objects that the compiler makes (format "static", see
// EmbedObject in rewrite/) as executables of IREE's local devices.
#ifndef IREE_PJRT_CPU_OBJECT_LOADER_H_
#define IREE_PJRT_CPU_OBJECT_LOADER_H_

#include "iree/hal/local/executable_loader.h"

namespace iree_pjrt {

// A new reference, for the caller to release. Thread-safe, as loaders are.
iree_hal_executable_loader_t* CreateObjectLoader();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CPU_OBJECT_LOADER_H_
