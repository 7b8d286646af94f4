// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_REWRITE_DISPATCH_VECTORIZED_TARGET_H_
#define IREE_PJRT_REWRITE_DISPATCH_VECTORIZED_TARGET_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// LLVM may make vectors of the loops of all executables: IREE links those of
// one target.
void VectorizeByLlvm(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_DISPATCH_VECTORIZED_TARGET_H_
