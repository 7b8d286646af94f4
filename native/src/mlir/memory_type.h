// SPDX-License-Identifier: Apache-2.0
// Arrays in the memory of a dispatch: `!iree_tensor_ext.dispatch.tensor<
// readonly:tensor<8x3xf32>>`, which has no C API.
#ifndef IREE_PJRT_MLIR_MEMORY_TYPE_H_
#define IREE_PJRT_MLIR_MEMORY_TYPE_H_

#include <cstdint>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// What takes a part of an array out of memory, or puts one there. False for
// null.
bool IsLoad(const Ir& ir, MlirOperation op);
bool IsStore(const Ir& ir, MlirOperation op);

// Empty if it is no array in memory of a known shape.
std::vector<int64_t> ShapeInMemory(const Ir& ir, MlirValue memory);
// The same bytes, in another shape.
void SetShapeInMemory(const Ir& ir, MlirValue memory,
                      const std::vector<int64_t>& shape);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_MEMORY_TYPE_H_
