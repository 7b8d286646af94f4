// SPDX-License-Identifier: Apache-2.0
#include "pjrt/memory.h"

#include "pjrt/device.h"

namespace iree_pjrt {

Memory::Memory(int id, std::string kind, int kind_id, Device* device)
    : id_(id),
      kind_(std::move(kind)),
      kind_id_(kind_id),
      debug_string_("IREE " + kind_ + " memory of " +
                    device->description().to_string()),
      devices_{device} {}

void MemoryId(PJRT_Memory_Id_Args& args) {
  args.id = FromC(args.memory, "memory").id();
}

void MemoryKind(PJRT_Memory_Kind_Args& args) {
  const std::string& kind = FromC(args.memory, "memory").kind();
  args.kind = kind.c_str();
  args.kind_size = kind.size();
}

void MemoryKindId(PJRT_Memory_Kind_Id_Args& args) {
  args.kind_id = FromC(args.memory, "memory").kind_id();
}

void MemoryDebugString(PJRT_Memory_DebugString_Args& args) {
  const std::string& text = FromC(args.memory, "memory").debug_string();
  args.debug_string = text.c_str();
  args.debug_string_size = text.size();
}

void MemoryToString(PJRT_Memory_ToString_Args& args) {
  const std::string& text = FromC(args.memory, "memory").debug_string();
  args.to_string = text.c_str();
  args.to_string_size = text.size();
}

void MemoryAddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args) {
  const Memory& memory = FromC(args.memory, "memory");
  args.devices = reinterpret_cast<PJRT_Device* const*>(memory.devices().data());
  args.num_devices = memory.devices().size();
}

}  // namespace iree_pjrt
