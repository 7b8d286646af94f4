// SPDX-License-Identifier: Apache-2.0
// A client: the root that owns the runtime, the devices and memories, and the
// compiler. Shared: PJRT_Client is one reference, each buffer and executable
// holds another, so destroying the client while they live is harmless.
// Immutable after construction, so any thread may use it.
#ifndef IREE_PJRT_PJRT_CLIENT_H_
#define IREE_PJRT_PJRT_CLIENT_H_

#include <memory>
#include <vector>

#include "base/handle.h"
#include "base/log.h"
#include "pjrt/device.h"
#include "pjrt/memory.h"
#include "pjrt/topology.h"
#include "program/options.h"
#include "runtime/runtime.h"

namespace iree_pjrt {

class Compiler;

class Client : public std::enable_shared_from_this<Client> {
 public:
  explicit Client(ClientOptions options);

  const ClientOptions& options() const { return options_; }
  Runtime& runtime() { return runtime_; }
  Topology& topology() { return topology_; }
  const std::vector<Device*>& devices() const { return devices_; }
  const std::vector<Memory*>& memories() const { return memories_; }
  // Throws INVALID_ARGUMENT for an id that no device has.
  Device& LookupDevice(int64_t id) const;
  // Whether the caller is a launch of one of the devices.
  bool OnLaunchThread() const;

  Compiler& compiler() { return *compiler_; }
  const Log& log() const { return log_; }

 private:
  const ClientOptions options_;
  const Log log_;
  Runtime runtime_;
  const std::shared_ptr<Compiler> compiler_;
  Topology topology_;
  std::vector<std::unique_ptr<Device>> owned_devices_;
  std::vector<std::unique_ptr<Memory>> owned_memories_;
  std::vector<Device*> devices_;
  std::vector<Memory*> memories_;
};

// What a PJRT_Client* points to.
struct ClientHandle {
  std::shared_ptr<Client> client;
};
IREE_PJRT_HANDLE(PJRT_Client, ClientHandle)

inline Client& ClientOf(PJRT_Client* handle) {
  return *FromC(handle, "client").client;
}

void ClientCreate(PJRT_Client_Create_Args& args);
void ClientDestroy(PJRT_Client_Destroy_Args& args);
void ClientPlatformName(PJRT_Client_PlatformName_Args& args);
void ClientPlatformVersion(PJRT_Client_PlatformVersion_Args& args);
void ClientProcessIndex(PJRT_Client_ProcessIndex_Args& args);
void ClientTopologyDescription(PJRT_Client_TopologyDescription_Args& args);
void ClientDevices(PJRT_Client_Devices_Args& args);
void ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args);
void ClientLookupDevice(PJRT_Client_LookupDevice_Args& args);
void ClientLookupAddressableDevice(
    PJRT_Client_LookupAddressableDevice_Args& args);
void ClientAddressableMemories(PJRT_Client_AddressableMemories_Args& args);
void ClientDefaultDeviceAssignment(
    PJRT_Client_DefaultDeviceAssignment_Args& args);
void ClientUpdateGlobalProcessInfo(
    PJRT_Client_UpdateGlobalProcessInfo_Args& args);
// Host memory needs no mapping: these succeed and do nothing.
void ClientDmaMap(PJRT_Client_DmaMap_Args& args);
void ClientDmaUnmap(PJRT_Client_DmaUnmap_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_CLIENT_H_
