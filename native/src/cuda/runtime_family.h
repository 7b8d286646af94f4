// SPDX-License-Identifier: Apache-2.0
// What the runtime of a GPU keeps beside runtime/runtime.h.
#ifndef IREE_PJRT_CUDA_RUNTIME_FAMILY_H_
#define IREE_PJRT_CUDA_RUNTIME_FAMILY_H_

#include <atomic>
#include <cstddef>

#include "cuda/driver.h"
#include "runtime/runtime.h"

namespace iree_pjrt {

struct Runtime::Family {
  Gpu gpu;
  Target target;
  // Outlives its device, which borrows from it.
  HalDriver driver;
  iree_hal_device_t* device = nullptr;
  // Page-locked memory for one copy between host and device at a time; made by
  // the first that fits into it.
  std::atomic<bool> staging_taken{false};
  HalBuffer staging;
  size_t staging_bytes = 0;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CUDA_RUNTIME_FAMILY_H_
