// SPDX-License-Identifier: Apache-2.0
// What a thread needs around calls of IREE that use a device: nothing on CPUs,
// the device's context with CUDA. Each family of devices has its own.
#ifndef IREE_PJRT_RUNTIME_DEVICE_SCOPE_H_
#define IREE_PJRT_RUNTIME_DEVICE_SCOPE_H_

#include "iree/hal/api.h"

namespace iree_pjrt {

// On the stack of one thread; the device must outlive it.
class DeviceScope {
 public:
  explicit DeviceScope(iree_hal_device_t* device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  // Set by a family that has something to leave again.
  [[maybe_unused]] const void* entered_ = nullptr;
};

// As iree_hal_buffer_release, on whatever thread lets go of it.
void ReleaseBuffer(iree_hal_buffer_t* buffer);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_DEVICE_SCOPE_H_
