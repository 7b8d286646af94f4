// SPDX-License-Identifier: Apache-2.0
// What the CUDA driver of this machine says of its GPUs, before IREE's runtime
// opens one. The driver's library is opened when it is first asked, and never
// closed. Any thread may ask.
#ifndef IREE_PJRT_CUDA_DRIVER_H_
#define IREE_PJRT_CUDA_DRIVER_H_

#include <cstdint>
#include <string>

namespace iree_pjrt {

// A plain value.
struct Gpu {
  std::string name;
  int capability_major = 0;
  int capability_minor = 0;
  int64_t memory_bytes = 0;
};

// The GPU of that ordinal. Throws FAILED_PRECONDITION with one line that says
// what was looked for and what was found.
Gpu FindGpu(int64_t ordinal);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CUDA_DRIVER_H_
