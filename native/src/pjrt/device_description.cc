// SPDX-License-Identifier: Apache-2.0
#include "pjrt/device_description.h"

#include "base/platform.h"

namespace iree_pjrt {

DeviceDescription::DeviceDescription(int id, const Target& target)
    : id_(id),
      kind_(target.device_kind),
      debug_string_(std::string(kPlatformName) + ":" + std::to_string(id)),
      to_string_(std::string(kDeviceClass) + "(id=" + std::to_string(id) +
                 ")") {}

void DeviceDescriptionId(PJRT_DeviceDescription_Id_Args& args) {
  args.id = FromC(args.device_description, "device_description").id();
}

void DeviceDescriptionProcessIndex(
    PJRT_DeviceDescription_ProcessIndex_Args& args) {
  FromC(args.device_description, "device_description");
  args.process_index = 0;
}

void DeviceDescriptionAttributes(PJRT_DeviceDescription_Attributes_Args& args) {
  FromC(args.device_description, "device_description");
  args.attributes = nullptr;
  args.num_attributes = 0;
}

void DeviceDescriptionKind(PJRT_DeviceDescription_Kind_Args& args) {
  const auto& text =
      FromC(args.device_description, "device_description").kind();
  args.device_kind = text.c_str();
  args.device_kind_size = text.size();
}

void DeviceDescriptionDebugString(
    PJRT_DeviceDescription_DebugString_Args& args) {
  const auto& text =
      FromC(args.device_description, "device_description").debug_string();
  args.debug_string = text.c_str();
  args.debug_string_size = text.size();
}

void DeviceDescriptionToString(PJRT_DeviceDescription_ToString_Args& args) {
  const auto& text =
      FromC(args.device_description, "device_description").to_string();
  args.to_string = text.c_str();
  args.to_string_size = text.size();
}

}  // namespace iree_pjrt
