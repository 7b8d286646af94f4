// SPDX-License-Identifier: Apache-2.0
#include "release/devices.h"

#include "base/host_allocator.h"
#include "iree/hal/drivers/local_sync/sync_device.h"

namespace iree_pjrt {

iree_status_t CreateSyncDevice(const LocalDeviceParts& parts,
                               iree_hal_device_t** out) {
  iree_hal_sync_device_params_t params;
  iree_hal_sync_device_params_initialize(&params);
  return iree_hal_sync_device_create(iree_make_cstring_view("local"), &params,
                                     parts.loader_count, parts.loaders,
                                     parts.allocator, HostAllocator(), out);
}

}  // namespace iree_pjrt
