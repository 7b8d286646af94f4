// SPDX-License-Identifier: Apache-2.0
#include "device.h"

struct PJRT_AsyncTrackingEvent {};

namespace iree_pjrt {

void DeviceGetDescription(PJRT_Device_GetDescription_Args& args) {
  const Device& device = FromC(args.device, "device");
  args.device_description =
      ToC(const_cast<DeviceDescription*>(&device.description()));
}

void DeviceIsAddressable(PJRT_Device_IsAddressable_Args& args) {
  FromC(args.device, "device");
  args.is_addressable = true;
}

void DeviceLocalHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = FromC(args.device, "device").id();
}

void DeviceAddressableMemories(PJRT_Device_AddressableMemories_Args& args) {
  const auto& memories = FromC(args.device, "device").memories();
  args.memories = reinterpret_cast<PJRT_Memory* const*>(memories.data());
  args.num_memories = memories.size();
}

void DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  args.memory = ToC(&FromC(args.device, "device").default_memory());
}

void DeviceCreateAsyncTrackingEvent(
    PJRT_Device_CreateAsyncTrackingEvent_Args& args) {
  FromC(args.device, "device");
  args.event = new PJRT_AsyncTrackingEvent();
}

void AsyncTrackingEventDestroy(PJRT_AsyncTrackingEvent_Destroy_Args& args) {
  delete args.event;
}

}  // namespace iree_pjrt
