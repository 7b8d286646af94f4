// SPDX-License-Identifier: Apache-2.0
#include "release/devices.h"

#include "release/v3_13/create_params.h"

namespace iree_pjrt {

iree_status_t OpenDefaultDevice(iree_hal_driver_t* driver,
                                iree_hal_device_t** out) {
  return WithCreateParams([&](const iree_hal_device_create_params_t* create) {
    return iree_hal_driver_create_default_device(driver, create,
                                                 HostAllocator(), out);
  });
}

}  // namespace iree_pjrt
