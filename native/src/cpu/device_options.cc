// SPDX-License-Identifier: Apache-2.0
#include "device_options.h"

#include "base/named_value.h"

namespace iree_pjrt {
namespace {

constexpr char kCountVariable[] = "IREE_PJRT_NUM_DEVICES";
constexpr int64_t kMostDevices = 64;

}  // namespace

bool ParseDeviceOption(const std::string& name, const PJRT_NamedValue& value,
                       DeviceOptions& options) {
  if (name != "num_devices") return false;
  options.count = NumberValue(name, value, 1, kMostDevices);
  return true;
}

void ReadDeviceVariables(const GetEnv& getenv, DeviceOptions& options) {
  const char* text = getenv(kCountVariable);
  if (text && *text) {
    options.count = ParseNumber(kCountVariable, text, 1, kMostDevices);
  }
}

}  // namespace iree_pjrt
