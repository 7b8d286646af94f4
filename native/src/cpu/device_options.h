// SPDX-License-Identifier: Apache-2.0
// Options of a client that only CPUs know. Part of ClientOptions (options.h).
#ifndef IREE_PJRT_DEVICE_OPTIONS_H_
#define IREE_PJRT_DEVICE_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

// Reads a variable of the environment; null if unset.
using GetEnv = std::function<const char*(const char* name)>;

// There are none.
struct DeviceOptions {};

// For the message about an unknown option.
inline constexpr char kDeviceOptionNames[] = "";

// False for an option that is not known.
inline bool ParseDeviceOption(const std::string&, const PJRT_NamedValue&,
                              DeviceOptions&) {
  return false;
}
inline void ReadDeviceVariables(const GetEnv&, DeviceOptions&) {}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_DEVICE_OPTIONS_H_
