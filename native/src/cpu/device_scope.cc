// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_scope.h"

namespace iree_pjrt {

DeviceScope::DeviceScope(iree_hal_device_t*) {}
DeviceScope::~DeviceScope() = default;

void ReleaseBuffer(iree_hal_buffer_t* buffer) {
  iree_hal_buffer_release(buffer);
}

}  // namespace iree_pjrt
