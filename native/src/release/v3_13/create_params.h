// SPDX-License-Identifier: Apache-2.0
// What IREE 3.13 wants to make a device of any kind.
#ifndef IREE_PJRT_RELEASE_V3_13_CREATE_PARAMS_H_
#define IREE_PJRT_RELEASE_V3_13_CREATE_PARAMS_H_

#include "base/host_allocator.h"
#include "iree/async/util/proactor_pool.h"
#include "iree/hal/api.h"

namespace iree_pjrt {

// Calls `create` with parameters that hold for the call; the device keeps what
// it needs of them.
template <typename Create>
iree_status_t WithCreateParams(const Create& create) {
  iree_async_proactor_pool_t* pool = nullptr;
  IREE_RETURN_IF_ERROR(iree_async_proactor_pool_create(
      1, /*node_ids=*/nullptr, iree_async_proactor_pool_options_default(),
      HostAllocator(), &pool));
  iree_hal_device_create_params_t params =
      iree_hal_device_create_params_default();
  params.proactor_pool = pool;
  const iree_status_t status = create(&params);
  iree_async_proactor_pool_release(pool);
  return status;
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RELEASE_V3_13_CREATE_PARAMS_H_
