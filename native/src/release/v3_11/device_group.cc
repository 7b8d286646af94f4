// SPDX-License-Identifier: Apache-2.0
#include "base/host_allocator.h"
#include "release/devices.h"

namespace iree_pjrt {

iree_status_t CreateDeviceGroup(iree_hal_device_t* device,
                                iree_hal_device_group_t** out) {
  return iree_hal_device_group_create_from_device(device, HostAllocator(), out);
}

}  // namespace iree_pjrt
