// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_REWRITE_LOOPS_SPLIT_SUMS_H_
#define IREE_PJRT_REWRITE_LOOPS_SPLIT_SUMS_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// Sums of floats whose terms lie side by side in memory become several sums
// side by side, which are added up at the end. LLVM makes no vectors of a
// single one, since it keeps the order of the terms.
void SplitSums(const Ir& ir, MlirOperation function);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_SPLIT_SUMS_H_
