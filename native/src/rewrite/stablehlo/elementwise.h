// SPDX-License-Identifier: Apache-2.0
// StableHLO that computes each element of an array of those at the same place.
#ifndef IREE_PJRT_REWRITE_STABLEHLO_ELEMENTWISE_H_
#define IREE_PJRT_REWRITE_STABLEHLO_ELEMENTWISE_H_

#include <string_view>

#include "mlir/ir.h"
#include "mlir/stablehlo_builder.h"

namespace iree_pjrt {

// Of the name of an operation without its dialect.
bool IsElementwise(std::string_view name);

// Whether it costs nothing to give the array another shape: it is an argument
// or a constant, or computed of such element by element. Of what was spread
// over rows IREE would first make an array.
bool TakesAnyShape(const Ir& ir, MlirValue array);

// The array, which takes any shape, in this one: what only it needs is computed
// in this shape as well, as IREE fuses nothing across a change of shape.
MlirValue InShape(const Ir& ir, MlirOperation before, MlirValue array,
                  const Dims& shape);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_ELEMENTWISE_H_
