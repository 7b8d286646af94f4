// SPDX-License-Identifier: Apache-2.0
// CUDA has a current context for each thread, and IREE's driver sets it on the
// threads that it makes itself. The context that a thread had before comes back
// afterwards: it may be that of another library of the process.
#include "runtime/device_scope.h"

#include "iree/hal/drivers/cuda/cuda_device.h"

namespace iree_pjrt {
namespace {

using Symbols = iree_hal_cuda_dynamic_symbols_t;

}  // namespace

// A failure is not reported here: the calls that follow fail.
DeviceScope::DeviceScope(iree_hal_device_t* device) {
  if (!device) return;
  const Symbols* symbols = iree_hal_cuda_device_dynamic_symbols(device);
  const CUresult result =
      symbols->cuCtxPushCurrent(iree_hal_cuda_device_context(device));
  if (result == CUDA_SUCCESS) entered_ = symbols;
}

// The device may be gone; its driver, which has the symbols, is not.
DeviceScope::~DeviceScope() {
  if (!entered_) return;
  CUcontext left = nullptr;
  static_cast<const Symbols*>(entered_)->cuCtxPopCurrent(&left);
}

void ReleaseBuffer(iree_hal_buffer_t* buffer) {
  const DeviceScope scope(iree_hal_buffer_allocation_placement(
                              iree_hal_buffer_allocated_buffer(buffer))
                              .device);
  iree_hal_buffer_release(buffer);
}

}  // namespace iree_pjrt
