// SPDX-License-Identifier: Apache-2.0
// Options of a client that only CPUs know. Part of ClientOptions
// (program/options.h).
#ifndef IREE_PJRT_DEVICE_OPTIONS_H_
#define IREE_PJRT_DEVICE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

// Reads a variable of the environment; null if unset.
using GetEnv = std::function<const char*(const char* name)>;

struct DeviceOptions {
  // Devices that the client shows; they share the processor's cores and memory.
  int64_t count = 1;
};

inline size_t DeviceCount(const DeviceOptions& options) {
  return static_cast<size_t>(options.count);
}

// Whether memory is freed when the device gets there. Else it is freed with the
// last reference to it.
inline constexpr bool kFreesInStreamOrder = false;

// Whether what a program submits is recorded once, for memory that each launch
// brings.
inline constexpr bool kReusesRecordings = true;

// For the message about an unknown option.
inline constexpr char kDeviceOptionNames[] = ", 'num_devices' (an integer)";

// False for an option that is not known. Throws INVALID_ARGUMENT for a value
// that is none of it.
bool ParseDeviceOption(const std::string& name, const PJRT_NamedValue& value,
                       DeviceOptions& options);
void ReadDeviceVariables(const GetEnv& getenv, DeviceOptions& options);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_DEVICE_OPTIONS_H_
