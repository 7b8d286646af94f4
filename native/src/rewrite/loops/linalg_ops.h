// SPDX-License-Identifier: Apache-2.0
// Operations that compute each element of their results (`linalg.*`), on
// memory.
#ifndef IREE_PJRT_REWRITE_LOOPS_LINALG_OPS_H_
#define IREE_PJRT_REWRITE_LOOPS_LINALG_OPS_H_

#include <vector>

#include "rewrite/loops/tensor_memory.h"

namespace iree_pjrt {

// A body of a loop, and what its yield goes to.
struct LoopBody {
  MlirBlock block;
  std::vector<View> targets;
};

// `body`: of the innermost loop around, or null.
void PutLinalgOp(const Ir& ir, TensorMemory& memory, MlirOperation op,
                 const LoopBody* body);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_LINALG_OPS_H_
