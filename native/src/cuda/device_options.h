// SPDX-License-Identifier: Apache-2.0
// Options of a client that only GPUs know. Part of ClientOptions
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
  // Which of the GPUs that the driver shows (CUDA_VISIBLE_DEVICES), from 0.
  int64_t device_ordinal = 0;
  // What programs are compiled for, as `sm_80`; empty: the device's own.
  std::string target;
  // Whether programs take their memory from the driver's pools, in the order of
  // the stream, where the device has that.
  bool async_allocation = true;
  // Whether a program's commands are recorded into a CUDA graph, or issued to
  // the stream one by one.
  bool graphs = true;
  // Page-locked memory that copies between host and device go through, kept by
  // the client; larger copies allocate their own. 0 keeps none.
  int64_t staging_bytes = int64_t{4} << 20;
};

// A GPU each.
inline size_t DeviceCount(const DeviceOptions&) { return 1; }

// Whether memory is freed when the device gets there. If it were freed with the
// last reference to it, that would wait for the whole device.
inline constexpr bool kFreesInStreamOrder = true;

// Whether what a program submits is recorded once, for memory that each launch
// brings. IREE makes no CUDA graph of that.
inline constexpr bool kReusesRecordings = false;

// For the message about an unknown option.
inline constexpr char kDeviceOptionNames[] =
    ", 'target', 'command_buffers' (strings), 'device_ordinal', "
    "'pinned_staging_size' (integers), 'async_allocation' (a boolean)";

// False for an option that is not known. Throws INVALID_ARGUMENT for a value
// that is none of it.
bool ParseDeviceOption(const std::string& name, const PJRT_NamedValue& value,
                       DeviceOptions& options);
void ReadDeviceVariables(const GetEnv& getenv, DeviceOptions& options);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_DEVICE_OPTIONS_H_
