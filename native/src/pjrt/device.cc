// SPDX-License-Identifier: Apache-2.0
#include "pjrt/device.h"

#include "base/error.h"
#include "pjrt/client.h"

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

void DeviceMemoryStats(PJRT_Device_MemoryStats_Args& args) {
  const MemoryStatistics statistics =
      FromC(args.device, "device").client().runtime().memory_statistics();
  args.bytes_in_use = statistics.bytes_in_use;
  const auto set = [](const std::optional<int64_t>& from, int64_t& to,
                      bool& is_set) {
    is_set = from.has_value();
    to = from.value_or(0);
  };
  set(statistics.peak_bytes_in_use, args.peak_bytes_in_use,
      args.peak_bytes_in_use_is_set);
  set(statistics.allocation_count, args.num_allocs, args.num_allocs_is_set);
  set(statistics.largest_allocation, args.largest_alloc_size,
      args.largest_alloc_size_is_set);
  set(statistics.bytes_limit, args.bytes_limit, args.bytes_limit_is_set);
  // Nothing is reserved.
  args.bytes_reserved = 0;
  args.bytes_reserved_is_set = true;
  args.peak_bytes_reserved = 0;
  args.peak_bytes_reserved_is_set = true;
  args.bytes_reservable_limit_is_set = false;
  args.largest_free_block_bytes_is_set = false;
  args.pool_bytes_is_set = false;
  args.peak_pool_bytes_is_set = false;
}

void DevicePoisonExecution(PJRT_Device_PoisonExecution_Args& args) {
  Device& device = FromC(args.device, "device");
  if (args.error_code == PJRT_Error_Code_OK) {
    ThrowInvalidArgument("poison needs an error code");
  }
  args.poisoned = device.launches().Poison(
      args.launch_id,
      ErrorFromC(args.error_code, args.error_message, args.error_message_size),
      device.client().runtime().callbacks().get());
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
