// SPDX-License-Identifier: Apache-2.0
// How IREE's devices are made, which differs between its releases. The
// functions of a family are only in a build for that family. Each returns a new
// reference in `out`; the caller releases it.
#ifndef IREE_PJRT_RELEASE_DEVICES_H_
#define IREE_PJRT_RELEASE_DEVICES_H_

#include <cstddef>

#include "iree/hal/api.h"
#include "iree/hal/device_group.h"
#include "iree/hal/local/executable_loader.h"

namespace iree_pjrt {

// What devices that compute on this machine's cores are made from. The devices
// keep references to all of it.
struct LocalDeviceParts {
  iree_hal_allocator_t* allocator;
  iree_hal_executable_loader_t** loaders;  // [loader_count]
  size_t loader_count;
};

// Runs a program on the thread that launches it.
iree_status_t CreateSyncDevice(const LocalDeviceParts& parts,
                               iree_hal_device_t** out);

// The device that the driver was made for.
iree_status_t OpenDefaultDevice(iree_hal_driver_t* driver,
                                iree_hal_device_t** out);

// A group of this device alone, as IREE's `hal` module wants it.
iree_status_t CreateDeviceGroup(iree_hal_device_t* device,
                                iree_hal_device_group_t** out);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RELEASE_DEVICES_H_
