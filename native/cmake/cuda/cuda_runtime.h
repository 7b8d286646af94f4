/* SPDX-License-Identifier: Apache-2.0
 * NCCL's header includes CUDA's runtime API, of which it uses the name of the
 * driver's stream alone. IREE uses no more of NCCL than that, and nothing of
 * the runtime API, so that this stands in for CUDA's own file. */
#ifndef IREE_PJRT_CMAKE_CUDA_CUDA_RUNTIME_H_
#define IREE_PJRT_CMAKE_CUDA_CUDA_RUNTIME_H_

#include "cuda.h"

typedef CUstream cudaStream_t;

#endif /* IREE_PJRT_CMAKE_CUDA_CUDA_RUNTIME_H_ */
