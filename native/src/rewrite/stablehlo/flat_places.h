// SPDX-License-Identifier: Apache-2.0
// Indices of several components, for dimensions side by side, as one number
// each: x[i, j] is x.ravel()[i * x.shape[1] + j].
#ifndef IREE_PJRT_REWRITE_STABLEHLO_FLAT_PLACES_H_
#define IREE_PJRT_REWRITE_STABLEHLO_FLAT_PLACES_H_

#include <cstdint>
#include <vector>

#include "mlir/dimension_numbers.h"
#include "mlir/ir.h"
#include "mlir/stablehlo_builder.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {

// Whether the program makes the indices of parts along their dimension
// `vector`.
bool ArePutTogether(const Ir& ir, MlirValue indices, int64_t vector);

class FlatPlaces {
 public:
  // `shape`: of the array.
  FlatPlaces(const Ir& ir, const StablehloBuilder& builder,
             const DimensionNumbers& numbers, Dims shape);

  // Whether there are several components, of dimensions side by side, of which
  // no window has more than one place.
  bool Exist() const;

  // Sizes along each dimension of the array, with their product for those that
  // become one.
  Dims Flat(const Dims& sizes) const;
  // Of the flattened array, with indices that Of() makes.
  DimensionNumbers Numbers() const;
  // One number for each index, the nearest that is in bounds; `indices` without
  // their dimension of components.
  struct Places {
    MlirValue nearest;
    // Whether each component is in bounds.
    MlirValue fit;
  };
  Places Of(MlirValue indices) const;

 private:
  MlirValue Component(MlirValue indices, int64_t i) const;
  int64_t StepOf(int64_t dimension) const;

  const Ir& ir_;
  const StablehloBuilder& builder_;
  const DimensionNumbers& numbers_;
  const Dims shape_;
  const int64_t first_;
  const int64_t more_;  // so many dimensions after the first
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_FLAT_PLACES_H_
