// SPDX-License-Identifier: Apache-2.0
// What programs are compiled for on one GPU.
#ifndef IREE_PJRT_CUDA_GPU_TARGET_H_
#define IREE_PJRT_CUDA_GPU_TARGET_H_

#include <string>

#include "cuda/driver.h"
#include "runtime/target.h"

namespace iree_pjrt {

// The newest target that the GPU runs, or the one that is `wanted` by name.
// Throws FAILED_PRECONDITION for a GPU that is too old, INVALID_ARGUMENT for a
// name that is not known.
Target TargetOfGpu(const Gpu& gpu, const std::string& wanted);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CUDA_GPU_TARGET_H_
