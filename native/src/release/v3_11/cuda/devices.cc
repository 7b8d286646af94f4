// SPDX-License-Identifier: Apache-2.0
#include "release/devices.h"

#include "base/host_allocator.h"

namespace iree_pjrt {

iree_status_t OpenDefaultDevice(iree_hal_driver_t* driver,
                                iree_hal_device_t** out) {
  return iree_hal_driver_create_default_device(driver, HostAllocator(), out);
}

}  // namespace iree_pjrt
