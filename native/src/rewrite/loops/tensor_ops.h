// SPDX-License-Identifier: Apache-2.0
// Operations that take tensors apart, put them together or change single
// elements, on memory.
#ifndef IREE_PJRT_REWRITE_LOOPS_TENSOR_OPS_H_
#define IREE_PJRT_REWRITE_LOOPS_TENSOR_OPS_H_

#include "rewrite/loops/tensor_memory.h"

namespace iree_pjrt {

// `tensor.*`. Throws LoopRefused for one that is not known.
void PutTensorOp(const Ir& ir, TensorMemory& memory, MlirOperation op);
// `arith.constant`, also of a scalar, which stays.
void PutConstant(const Ir& ir, TensorMemory& memory, MlirOperation op);
// `iree_linalg_ext.scatter`.
void PutScatter(const Ir& ir, TensorMemory& memory, MlirOperation op);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_TENSOR_OPS_H_
