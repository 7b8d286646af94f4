// SPDX-License-Identifier: Apache-2.0
// Tensors in more or fewer dimensions, of the same elements in the same order.
#ifndef IREE_PJRT_MLIR_RESHAPES_H_
#define IREE_PJRT_MLIR_RESHAPES_H_

#include <cstdint>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// The type of a tensor, in another static shape.
MlirType TypeInShape(const Ir& ir, MlirValue tensor,
                     const std::vector<int64_t>& shape);

// For each dimension of the side with fewer, how many it is on the other side;
// at least 1.
using DimensionCounts = std::vector<int64_t>;

// `tensor.expand_shape` to this shape.
MlirValue ExpandShape(const Ir& ir, MlirOperation before, MlirValue tensor,
                      const std::vector<int64_t>& shape,
                      const DimensionCounts& counts);

// `tensor.collapse_shape`.
MlirValue CollapseShape(const Ir& ir, MlirOperation before, MlirValue tensor,
                        const DimensionCounts& counts);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_RESHAPES_H_
