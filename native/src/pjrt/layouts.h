// SPDX-License-Identifier: Apache-2.0
// The layouts extension: arrays have one layout here, row major without tiles.
// A PJRT_Layouts_MemoryLayout is owned by the caller of the C API, but for
// those of an executable's outputs, which live as long as it. Immutable.
#ifndef IREE_PJRT_PJRT_LAYOUTS_H_
#define IREE_PJRT_PJRT_LAYOUTS_H_

#include <string>

#include "base/handle.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"

namespace iree_pjrt {

struct MemoryLayout {
  // As XLA writes and reads it.
  std::string text;
};
IREE_PJRT_HANDLE(PJRT_Layouts_MemoryLayout, MemoryLayout)

void MemoryLayoutDestroy(PJRT_Layouts_MemoryLayout_Destroy_Args& args);
void MemoryLayoutSerialize(PJRT_Layouts_MemoryLayout_Serialize_Args& args);
void ClientGetDefaultLayout(
    PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args);
void TopologyGetDefaultLayout(
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args);
void BufferMemoryLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args);
void ExecutableGetOutputLayouts(
    PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_LAYOUTS_H_
