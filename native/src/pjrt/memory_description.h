// SPDX-License-Identifier: Apache-2.0
// The extension that tells the kinds of memory without a client.
#ifndef IREE_PJRT_PJRT_MEMORY_DESCRIPTION_H_
#define IREE_PJRT_PJRT_MEMORY_DESCRIPTION_H_

#include "base/handle.h"
#include "runtime/memory_kinds.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"

namespace iree_pjrt {

IREE_PJRT_HANDLE(PJRT_MemoryDescription, MemoryDescription)

void DeviceDescriptionMemoryDescriptions(
    PJRT_DeviceDescription_MemoryDescriptions_Args& args);
void MemoryDescriptionKind(PJRT_MemoryDescription_Kind_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_MEMORY_DESCRIPTION_H_
