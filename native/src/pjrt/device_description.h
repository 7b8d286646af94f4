// SPDX-License-Identifier: Apache-2.0
// What a device is, without the device: also used where none is attached.
// Immutable; owned by the Topology.
#ifndef IREE_PJRT_PJRT_DEVICE_DESCRIPTION_H_
#define IREE_PJRT_PJRT_DEVICE_DESCRIPTION_H_

#include <string>

#include "base/handle.h"
#include "runtime/target.h"

namespace iree_pjrt {

class DeviceDescription {
 public:
  DeviceDescription(int id, const Target& target);

  int id() const { return id_; }
  const std::string& kind() const { return kind_; }
  const std::string& debug_string() const { return debug_string_; }
  const std::string& to_string() const { return to_string_; }

 private:
  int id_;
  std::string kind_;
  std::string debug_string_;
  std::string to_string_;
};
IREE_PJRT_HANDLE(PJRT_DeviceDescription, DeviceDescription)

void DeviceDescriptionId(PJRT_DeviceDescription_Id_Args& args);
void DeviceDescriptionProcessIndex(
    PJRT_DeviceDescription_ProcessIndex_Args& args);
void DeviceDescriptionAttributes(PJRT_DeviceDescription_Attributes_Args& args);
void DeviceDescriptionKind(PJRT_DeviceDescription_Kind_Args& args);
void DeviceDescriptionDebugString(
    PJRT_DeviceDescription_DebugString_Args& args);
void DeviceDescriptionToString(PJRT_DeviceDescription_ToString_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_DEVICE_DESCRIPTION_H_
