// SPDX-License-Identifier: Apache-2.0
// The order of the loops of a generic, for one core and its vectors.
#ifndef IREE_PJRT_REWRITE_LOOPS_LOOP_ORDER_H_
#define IREE_PJRT_REWRITE_LOOPS_LOOP_ORDER_H_

#include <cstdint>
#include <optional>

#include "mlir/ir.h"

namespace iree_pjrt {

// The loop of a generic with a reduction that goes along memory in the most
// arrays; nothing for other operations, and where the order matters.
std::optional<int64_t> LoopAlongMemory(const Ir& ir, MlirOperation op);

// Puts that loop inside. Each sum keeps the order of its terms if it goes over
// one dimension.
void PutLoopAlongMemoryInside(const Ir& ir, MlirOperation op);

// Makes one loop of a generic the outer one.
void PutLoopOutside(const Ir& ir, MlirOperation op, int64_t loop);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_LOOP_ORDER_H_
