// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_REWRITE_STREAM_TIMEPOINTS_H_
#define IREE_PJRT_REWRITE_STREAM_TIMEPOINTS_H_

#include <cstddef>

#include "mlir/ir.h"

namespace iree_pjrt {

// What an operation waits for, which is its operand with this number: where it
// has none, the point in time that is always past, made right before it. The
// last result of the operation is a point in time.
MlirValue AwaitedBy(const Ir& ir, MlirOperation op, size_t operand);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STREAM_TIMEPOINTS_H_
