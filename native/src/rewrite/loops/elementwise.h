// SPDX-License-Identifier: Apache-2.0
// Makes a `linalg.generic` that goes over one array.
#ifndef IREE_PJRT_REWRITE_LOOPS_ELEMENTWISE_H_
#define IREE_PJRT_REWRITE_LOOPS_ELEMENTWISE_H_

#include <string_view>

#include "mlir/ir.h"

namespace iree_pjrt {

// Each element of `target`, a tensor or memory, becomes that of `input`, an
// array of its shape or a scalar, converted by `operation` if that is not
// empty.
MlirOperation MakeElementwise(const Ir& ir, MlirOperation before,
                              std::string_view operation, MlirValue input,
                              MlirValue target);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_ELEMENTWISE_H_
