// SPDX-License-Identifier: Apache-2.0
// What the dimensions of a gather, a scatter or a product are (StableHLO's
// specification, `gather`, `scatter` and `dot_general`), in one form for both
// dialects.
#ifndef IREE_PJRT_MLIR_DIMENSION_NUMBERS_H_
#define IREE_PJRT_MLIR_DIMENSION_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

struct DimensionNumbers {
  // Dimensions of the updates (scatter) or the result (gather) that windows
  // span.
  std::vector<int64_t> window;
  // Dimensions of the array that windows leave out.
  std::vector<int64_t> inserted;
  // Dimensions of the array, and the dimensions of the indices that they go
  // with.
  std::vector<int64_t> batching;
  std::vector<int64_t> indices_batching;
  // For each component of an index the dimension of the array.
  std::vector<int64_t> indexed;
  // The dimension of the indices that holds the components; their rank, if an
  // index has a single component and no such dimension.
  int64_t vector = 0;
};

// Whether a list of dimensions has one.
bool IsIn(const std::vector<int64_t>& dimensions, int64_t dimension);

DimensionNumbers ReadDimensionNumbers(const Ir& ir, MlirOperation op);
void WriteDimensionNumbers(const Ir& ir, MlirOperation op,
                           const DimensionNumbers& numbers);

// Of `dot_general`; each dimension of one side goes with that of the other.
struct ProductDimensions {
  std::vector<int64_t> lhs_batching = {};
  std::vector<int64_t> rhs_batching = {};
  std::vector<int64_t> lhs_contracting = {};
  std::vector<int64_t> rhs_contracting = {};
};

// The dimensions of a side of that rank which the result has of that side only,
// in their order.
std::vector<int64_t> FreeDimensions(size_t rank,
                                    const std::vector<int64_t>& batching,
                                    const std::vector<int64_t>& contracting);

// The attributes that say so of an operation in the form of `like`.
std::vector<MlirNamedAttribute> ProductAttributes(
    const Ir& ir, MlirOperation like, const ProductDimensions& dimensions);

ProductDimensions ReadProductDimensions(const Ir& ir, MlirOperation op);
void WriteProductDimensions(const Ir& ir, MlirOperation op,
                            const ProductDimensions& dimensions);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_DIMENSION_NUMBERS_H_
