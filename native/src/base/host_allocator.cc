// SPDX-License-Identifier: Apache-2.0
#include "base/host_allocator.h"

#include <cstring>

namespace iree_pjrt {
namespace {

// The largest block that glibc caches for each thread.
constexpr iree_host_size_t kSmall = 1032;

iree_status_t Control(void* self, iree_allocator_command_t command,
                      const void* params, void** inout_ptr) {
  if (command == IREE_ALLOCATOR_COMMAND_CALLOC) {
    const iree_host_size_t size =
        static_cast<const iree_allocator_alloc_params_t*>(params)->byte_length;
    if (size <= kSmall) {
      iree_status_t status = iree_allocator_libc_ctl(
          self, IREE_ALLOCATOR_COMMAND_MALLOC, params, inout_ptr);
      if (iree_status_is_ok(status)) std::memset(*inout_ptr, 0, size);
      return status;
    }
  }
  return iree_allocator_libc_ctl(self, command, params, inout_ptr);
}

}  // namespace

iree_allocator_t HostAllocator() { return {nullptr, &Control}; }

}  // namespace iree_pjrt
