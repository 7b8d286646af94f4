// SPDX-License-Identifier: Apache-2.0
// The order of the loops of a sum, for one core and its vectors.
#ifndef IREE_PJRT_REWRITE_LOOPS_LOOP_ORDER_H_
#define IREE_PJRT_REWRITE_LOOPS_LOOP_ORDER_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// Puts that loop of a generic with a reduction inside that goes along memory in
// the most arrays. Each sum keeps the order of its terms if it goes over one
// dimension.
void PutLoopAlongMemoryInside(const Ir& ir, MlirOperation op);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_LOOP_ORDER_H_
