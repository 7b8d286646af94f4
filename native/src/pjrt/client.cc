// SPDX-License-Identifier: Apache-2.0
#include "pjrt/client.h"

#include <algorithm>
#include <string>

#include "base/platform.h"
#include "compile/compiler.h"
#include "pjrt/memory_description.h"

namespace iree_pjrt {

Client::Client(ClientOptions options)
    : options_(std::move(options)),
      log_(options_.log_level),
      runtime_(options_),
      compiler_(std::make_shared<Compiler>(options_, runtime_.target())),
      topology_(DeviceCount(options_.device), compiler_) {
  for (const DeviceDescription* description : topology_.descriptions()) {
    owned_devices_.push_back(std::make_unique<Device>(this, description));
    Device* device = owned_devices_.back().get();
    devices_.push_back(device);
    for (const MemoryDescription& memory : MemoryDescriptions()) {
      owned_memories_.push_back(std::make_unique<Memory>(
          static_cast<int>(memories_.size()), std::string(memory.kind),
          memory.kind_id, device));
      memories_.push_back(owned_memories_.back().get());
      device->AddMemory(memories_.back());
    }
  }
}

Device& Client::LookupDevice(int64_t id) const {
  for (Device* device : devices_) {
    if (device->id() == id) return *device;
  }
  ThrowInvalidArgument("there is no device with id " + std::to_string(id) +
                       "; this client has " + std::to_string(devices_.size()));
}

bool Client::OnLaunchThread() const {
  return std::any_of(devices_.begin(), devices_.end(),
                     [](Device* device) { return device->queue().OnThread(); });
}

void ClientCreate(PJRT_Client_Create_Args& args) {
  auto client = std::make_shared<Client>(
      ParseClientOptions(args.create_options, args.num_options));
  const ClientOptions& options = client->options();
  client->log().Info(std::string(kPlatformVersion) + ": client with " +
                     std::to_string(client->devices().size()) +
                     " device(s); compiler " + options.compiler_library_path +
                     "; cache " + options.cache_dir + " of " +
                     std::to_string(options.cache_bytes >> 20) + " MiB");
  args.client = ToC(new ClientHandle{std::move(client)});
}

void ClientDestroy(PJRT_Client_Destroy_Args& args) { delete Take(args.client); }

void ClientPlatformName(PJRT_Client_PlatformName_Args& args) {
  args.platform_name = kPlatformName;
  args.platform_name_size = sizeof(kPlatformName) - 1;
}

void ClientPlatformVersion(PJRT_Client_PlatformVersion_Args& args) {
  args.platform_version = kPlatformVersion;
  args.platform_version_size = sizeof(kPlatformVersion) - 1;
}

void ClientProcessIndex(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = 0;
}

void ClientTopologyDescription(PJRT_Client_TopologyDescription_Args& args) {
  args.topology = ToC(&ClientOf(args.client).topology());
}

void ClientDevices(PJRT_Client_Devices_Args& args) {
  const auto& devices = ClientOf(args.client).devices();
  args.devices = reinterpret_cast<PJRT_Device* const*>(devices.data());
  args.num_devices = devices.size();
}

void ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  const auto& devices = ClientOf(args.client).devices();
  args.addressable_devices =
      reinterpret_cast<PJRT_Device* const*>(devices.data());
  args.num_addressable_devices = devices.size();
}

void ClientLookupDevice(PJRT_Client_LookupDevice_Args& args) {
  args.device = ToC(&ClientOf(args.client).LookupDevice(args.id));
}

void ClientLookupAddressableDevice(
    PJRT_Client_LookupAddressableDevice_Args& args) {
  args.addressable_device =
      ToC(&ClientOf(args.client).LookupDevice(args.local_hardware_id));
}

void ClientAddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  const auto& memories = ClientOf(args.client).memories();
  args.addressable_memories =
      reinterpret_cast<PJRT_Memory* const*>(memories.data());
  args.num_addressable_memories = memories.size();
}

void ClientDefaultDeviceAssignment(
    PJRT_Client_DefaultDeviceAssignment_Args& args) {
  const auto& devices = ClientOf(args.client).devices();
  if (args.num_replicas < 1 || args.num_partitions < 1) {
    ThrowInvalidArgument("num_replicas and num_partitions must be positive");
  }
  const size_t wanted = static_cast<size_t>(args.num_replicas) *
                        static_cast<size_t>(args.num_partitions);
  if (wanted > devices.size()) {
    ThrowInvalidArgument("a computation over " + std::to_string(wanted) +
                         " devices; this client has " +
                         std::to_string(devices.size()));
  }
  if (!args.default_assignment || args.default_assignment_size < wanted) {
    ThrowInvalidArgument("default_assignment is too small");
  }
  for (size_t i = 0; i < wanted; ++i) {
    args.default_assignment[i] = devices[i]->id();
  }
}

void ClientUpdateGlobalProcessInfo(
    PJRT_Client_UpdateGlobalProcessInfo_Args& args) {
  ClientOf(args.client);
}

void ClientDmaMap(PJRT_Client_DmaMap_Args& args) { ClientOf(args.client); }

void ClientDmaUnmap(PJRT_Client_DmaUnmap_Args& args) { ClientOf(args.client); }

}  // namespace iree_pjrt
