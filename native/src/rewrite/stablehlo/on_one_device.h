// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_REWRITE_STABLEHLO_ON_ONE_DEVICE_H_
#define IREE_PJRT_REWRITE_STABLEHLO_ON_ONE_DEVICE_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// The results of what moves data between devices are its operands, if there is
// one device; nothing is left of what has no results. Throws INVALID_ARGUMENT
// if they differ in number or type: the program is for more devices.
void ReplaceByOperands(const Ir& ir, MlirOperation op);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_ON_ONE_DEVICE_H_
