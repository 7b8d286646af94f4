// SPDX-License-Identifier: Apache-2.0
// What cpu/device_memory.cc and cuda/device_memory.cc have in common.
#ifndef IREE_PJRT_RUNTIME_DEVICE_MEMORY_SHARED_H_
#define IREE_PJRT_RUNTIME_DEVICE_MEMORY_SHARED_H_

#include "runtime/device_memory.h"

namespace iree_pjrt {

// Where the host finds a range of a buffer, for as long as the buffer lives.
// Throws an Error that begins with `doing`.
char* MapPersistently(iree_hal_buffer_t* buffer, size_t offset,
                      iree_device_size_t size, const char* doing);

// `external` as a buffer with `params`. Throws an Error that begins with
// `doing`; then `on_release` is not called.
HalBuffer ImportExternal(Runtime& runtime,
                         const iree_hal_buffer_params_t& params,
                         iree_hal_external_buffer_t external,
                         std::function<void()> on_release, const char* doing);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_DEVICE_MEMORY_SHARED_H_
