// SPDX-License-Identifier: Apache-2.0
// The kinds of memory that a device has, and the extension that tells them
// without a client. On CPUs all kinds are the host's memory: they exist so that
// programs that place arrays in host memory run unchanged, and a move from one
// to another copies nothing. Immutable, with the lifetime of the process.
#ifndef IREE_PJRT_MEMORY_DESCRIPTION_H_
#define IREE_PJRT_MEMORY_DESCRIPTION_H_

#include <span>
#include <string_view>

#include "handle.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"

namespace iree_pjrt {

struct MemoryDescription {
  std::string_view kind;
  int kind_id;
};
IREE_PJRT_HANDLE(PJRT_MemoryDescription, MemoryDescription)

// Of this family of devices (device_memory.h); the first is the default.
std::span<const MemoryDescription> MemoryDescriptions();

void DeviceDescriptionMemoryDescriptions(
    PJRT_DeviceDescription_MemoryDescriptions_Args& args);
void MemoryDescriptionKind(PJRT_MemoryDescription_Kind_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MEMORY_DESCRIPTION_H_
