// SPDX-License-Identifier: Apache-2.0
#include "pjrt/memory_description.h"

#include <vector>

#include "pjrt/device_description.h"

namespace iree_pjrt {

void DeviceDescriptionMemoryDescriptions(
    PJRT_DeviceDescription_MemoryDescriptions_Args& args) {
  FromC(args.device_description, "device_description");
  // Never destroyed, so that a framework may read it while the process ends.
  static const auto& handles = *[] {
    auto* list = new std::vector<const MemoryDescription*>();
    for (const auto& each : MemoryDescriptions()) list->push_back(&each);
    return list;
  }();
  args.memory_descriptions =
      reinterpret_cast<const PJRT_MemoryDescription* const*>(handles.data());
  args.num_memory_descriptions = handles.size();
  args.default_memory_index = 0;
}

void MemoryDescriptionKind(PJRT_MemoryDescription_Kind_Args& args) {
  const MemoryDescription& description =
      FromC(args.memory_description, "memory_description");
  args.kind = description.kind.data();
  args.kind_size = description.kind.size();
  args.kind_id = description.kind_id;
}

}  // namespace iree_pjrt
