// SPDX-License-Identifier: Apache-2.0
// Which loops may become one dispatch.
#ifndef IREE_PJRT_REWRITE_LOOPS_LIMITS_H_
#define IREE_PJRT_REWRITE_LOOPS_LIMITS_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// Throws LoopRefused for a loop that has operations which are not known, or so
// much to do in one of them that IREE's own code, on tiles and several cores,
// is faster.
void CheckLoop(const Ir& ir, MlirOperation loop);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_LIMITS_H_
