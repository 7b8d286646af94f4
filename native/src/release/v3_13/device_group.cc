// SPDX-License-Identifier: Apache-2.0
#include "base/host_allocator.h"
#include "iree/async/frontier_tracker.h"
#include "release/devices.h"

namespace iree_pjrt {

iree_status_t CreateDeviceGroup(iree_hal_device_t* device,
                                iree_hal_device_group_t** out) {
  iree_async_frontier_tracker_t* tracker = nullptr;
  IREE_RETURN_IF_ERROR(iree_async_frontier_tracker_create(
      iree_async_frontier_tracker_options_default(), HostAllocator(),
      &tracker));
  const iree_status_t status = iree_hal_device_group_create_from_device(
      device, tracker, HostAllocator(), out);
  iree_async_frontier_tracker_release(tracker);
  return status;
}

}  // namespace iree_pjrt
