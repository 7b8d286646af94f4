// SPDX-License-Identifier: Apache-2.0
// What the rewrites ask of `linalg.generic`.
#ifndef IREE_PJRT_MLIR_GENERICS_H_
#define IREE_PJRT_MLIR_GENERICS_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// False for null.
bool IsGeneric(const Ir& ir, MlirOperation op);

// Whether it is a generic with a dimension that it reduces.
bool IsReduction(const Ir& ir, MlirOperation op);

// What computes the single value that the body of a generic yields; null for
// other operations, several values, and values from outside.
MlirOperation YieldedBy(const Ir& ir, MlirOperation op);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_GENERICS_H_
