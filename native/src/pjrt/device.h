// SPDX-License-Identifier: Apache-2.0
// A device of a client. Owned by the Client and as long-lived; immutable once
// the client is made, but for its queue and the register of its launches, so
// any thread may use it.
#ifndef IREE_PJRT_PJRT_DEVICE_H_
#define IREE_PJRT_PJRT_DEVICE_H_

#include <vector>

#include "base/handle.h"
#include "pjrt/device_description.h"
#include "pjrt/launch_registry.h"
#include "pjrt/memory.h"
#include "runtime/work_queue.h"

namespace iree_pjrt {

class Client;

class Device {
 public:
  Device(Client* client, const DeviceDescription* description)
      : client_(client), description_(description) {}

  Client& client() const { return *client_; }
  int id() const { return description_->id(); }
  const DeviceDescription& description() const { return *description_; }
  // The first one is the default.
  const std::vector<Memory*>& memories() const { return memories_; }
  Memory& default_memory() const { return *memories_.front(); }

  LaunchRegistry& launches() { return launches_; }
  // Launches, in order.
  WorkQueue& queue() { return queue_; }

  // Only while the client is being made.
  void AddMemory(Memory* memory) { memories_.push_back(memory); }

 private:
  Client* client_;
  const DeviceDescription* description_;
  std::vector<Memory*> memories_;
  LaunchRegistry launches_;
  WorkQueue queue_;
};
IREE_PJRT_HANDLE(PJRT_Device, Device)

void DeviceGetDescription(PJRT_Device_GetDescription_Args& args);
void DeviceIsAddressable(PJRT_Device_IsAddressable_Args& args);
void DeviceLocalHardwareId(PJRT_Device_LocalHardwareId_Args& args);
void DeviceAddressableMemories(PJRT_Device_AddressableMemories_Args& args);
void DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args& args);
void DeviceMemoryStats(PJRT_Device_MemoryStats_Args& args);
void DevicePoisonExecution(PJRT_Device_PoisonExecution_Args& args);

// Marks a stretch of work for a profiler that does not exist here: an empty
// object, because frameworks abort on an error.
void DeviceCreateAsyncTrackingEvent(
    PJRT_Device_CreateAsyncTrackingEvent_Args& args);
void AsyncTrackingEventDestroy(PJRT_AsyncTrackingEvent_Destroy_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_DEVICE_H_
