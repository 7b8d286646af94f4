// SPDX-License-Identifier: Apache-2.0
// The set of devices a program can be compiled for. Owned by the Client, or by
// the caller that created it without one. Immutable.
#ifndef IREE_PJRT_PJRT_TOPOLOGY_H_
#define IREE_PJRT_PJRT_TOPOLOGY_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "base/handle.h"
#include "pjrt/device_description.h"

namespace iree_pjrt {

class Compiler;

class Topology {
 public:
  // `compiler` compiles for these devices.
  Topology(size_t device_count, std::shared_ptr<Compiler> compiler);

  const std::vector<DeviceDescription*>& descriptions() const {
    return descriptions_;
  }
  const std::shared_ptr<Compiler>& compiler() const { return compiler_; }

 private:
  std::vector<std::unique_ptr<DeviceDescription>> owned_;
  std::vector<DeviceDescription*> descriptions_;
  const std::shared_ptr<Compiler> compiler_;
};
IREE_PJRT_HANDLE(PJRT_TopologyDescription, Topology)

void TopologyCreate(PJRT_TopologyDescription_Create_Args& args);
void TopologyDestroy(PJRT_TopologyDescription_Destroy_Args& args);
void TopologyPlatformName(PJRT_TopologyDescription_PlatformName_Args& args);
void TopologyPlatformVersion(
    PJRT_TopologyDescription_PlatformVersion_Args& args);
void TopologyGetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args& args);
void TopologySerialize(PJRT_TopologyDescription_Serialize_Args& args);
void TopologyDeserialize(PJRT_TopologyDescription_Deserialize_Args& args);
void TopologyAttributes(PJRT_TopologyDescription_Attributes_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_TOPOLOGY_H_
