// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_REWRITE_STABLEHLO_PADDING_H_
#define IREE_PJRT_REWRITE_STABLEHLO_PADDING_H_

#include "mlir/ir.h"
#include "mlir/stablehlo_builder.h"

namespace iree_pjrt {

// How a `pad` pads each dimension; what is negative takes elements away.
struct Padding {
  Dims low;
  Dims high;
  Dims interior;
};

Padding ReadPadding(const Ir& ir, MlirOperation pad);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_PADDING_H_
