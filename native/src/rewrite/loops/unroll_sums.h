// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_REWRITE_LOOPS_UNROLL_SUMS_H_
#define IREE_PJRT_REWRITE_LOOPS_UNROLL_SUMS_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// Reductions along another loop than the inner one, products of matrices first
// of all: each turn takes several terms, in their order, so that what was
// reduced so far is not loaded and stored for every one of them. Comes after
// SplitSums, which makes such reductions.
void UnrollSums(const Ir& ir, MlirOperation function);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_UNROLL_SUMS_H_
