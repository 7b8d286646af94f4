// SPDX-License-Identifier: Apache-2.0
// What `tensor.extract_slice` takes and `tensor.insert_slice` writes.
#ifndef IREE_PJRT_MLIR_SLICES_H_
#define IREE_PJRT_MLIR_SLICES_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// What the attributes of a slice hold for a number that is an operand.
inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

// Along each dimension so many elements from an offset on, so far apart.
struct Slice {
  std::vector<int64_t> offsets;
  std::vector<int64_t> sizes;
  std::vector<int64_t> steps;
};

// Nothing where a number is not known, and for what is no slice.
std::optional<Slice> ReadSlice(const Ir& ir, MlirOperation op);

// Makes the operation one of this slice.
void SetSlice(const Ir& ir, MlirOperation op, const Slice& slice);

// `tensor.extract_slice`; the type may leave out dimensions of one element.
MlirValue MakeSlice(const Ir& ir, MlirOperation before, MlirValue array,
                    const Slice& slice, MlirType type);

// Whether a slice is of elements side by side.
bool HasUnitSteps(const Ir& ir, MlirOperation slice);
// Whether there are steps between elements of the last dimension, or it is one
// column of several. False for what ReadSlice reads nothing of.
bool StepsAlongRows(const Ir& ir, MlirOperation slice);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_SLICES_H_
