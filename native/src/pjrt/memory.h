// SPDX-License-Identifier: Apache-2.0
// A memory space of a device. Owned by the Client and as long-lived; immutable
// once the client is made, so any thread may use it.
#ifndef IREE_PJRT_PJRT_MEMORY_H_
#define IREE_PJRT_PJRT_MEMORY_H_

#include <string>
#include <vector>

#include "base/handle.h"

namespace iree_pjrt {

class Device;

class Memory {
 public:
  Memory(int id, std::string kind, int kind_id, Device* device);

  int id() const { return id_; }
  const std::string& kind() const { return kind_; }
  int kind_id() const { return kind_id_; }
  const std::string& debug_string() const { return debug_string_; }
  Device& device() const { return *devices_.front(); }
  const std::vector<Device*>& devices() const { return devices_; }

 private:
  int id_;
  std::string kind_;
  int kind_id_;
  std::string debug_string_;
  std::vector<Device*> devices_;
};
IREE_PJRT_HANDLE(PJRT_Memory, Memory)

void MemoryId(PJRT_Memory_Id_Args& args);
void MemoryKind(PJRT_Memory_Kind_Args& args);
void MemoryKindId(PJRT_Memory_Kind_Id_Args& args);
void MemoryDebugString(PJRT_Memory_DebugString_Args& args);
void MemoryToString(PJRT_Memory_ToString_Args& args);
void MemoryAddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_MEMORY_H_
