// SPDX-License-Identifier: Apache-2.0
// What the dimensions of a gather or scatter are (StableHLO's specification,
// `gather` and `scatter`), in one form for both operations and both dialects.
#ifndef IREE_PJRT_MLIR_DIMENSION_NUMBERS_H_
#define IREE_PJRT_MLIR_DIMENSION_NUMBERS_H_

#include <cstdint>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

struct DimensionNumbers {
  // Of the updates (scatter) or of the result (gather): those of the windows.
  std::vector<int64_t> window;
  // Of the array: those that windows leave out.
  std::vector<int64_t> inserted;
  // Of the array, and of the indices: those that go together.
  std::vector<int64_t> batching;
  std::vector<int64_t> indices_batching;
  // Of the array: those that the components of an index are for.
  std::vector<int64_t> indexed;
  // Of the indices: that of the components; their rank, if an index has one.
  int64_t vector = 0;
};

DimensionNumbers ReadDimensionNumbers(const Ir& ir, MlirOperation op);
void WriteDimensionNumbers(const Ir& ir, MlirOperation op,
                           const DimensionNumbers& numbers);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_DIMENSION_NUMBERS_H_
