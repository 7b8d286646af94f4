// SPDX-License-Identifier: Apache-2.0
// A scatter, as the passes that bring it into IREE's form change it.
#ifndef IREE_PJRT_REWRITE_STABLEHLO_SCATTER_H_
#define IREE_PJRT_REWRITE_STABLEHLO_SCATTER_H_

#include <functional>
#include <vector>

#include "mlir/dimension_numbers.h"
#include "mlir/ir.h"
#include "mlir/stablehlo_builder.h"

namespace iree_pjrt {

// The indices as signed integers that hold each of them; from 2^63 on they
// become the largest, which no array reaches either.
MlirValue SignedIndices(const StablehloBuilder& builder, MlirValue indices);

// The component `i` of each index, without `vector`, their dimension of
// components.
MlirValue ComponentOf(const StablehloBuilder& builder, MlirValue indices,
                      int64_t vector, int64_t i);

// Whether the indices are constants of a signed type from 0 up to a limit each.
// `vector`: the dimension of the components, as many as there are limits.
bool SurelyFit(const Ir& ir, MlirValue indices, int64_t vector,
               const Dims& limits);

// Indices, component by component.
struct ClampedIndices {
  // Whether each fits.
  MlirValue fits{nullptr};
  // The nearest that do.
  std::vector<MlirValue> nearest;
};

// `components`: arrays of one shape, at least one, of signed integers;
// `limits`: the largest that fits, of each.
ClampedIndices Clamp(const StablehloBuilder& builder,
                     const std::vector<MlirValue>& components,
                     const Dims& limits);

class Scatter {
 public:
  // Throws UNIMPLEMENTED if a dimension is not static.
  Scatter(const Ir& ir, MlirOperation op);

  // The sizes of a window in the array, 1 where it leaves a dimension out.
  Dims WindowSizes() const;
  // The largest index of each component with which a window fits; negative if
  // none does.
  Dims Limits() const;
  // The dimensions of the updates that no window has.
  Dims BatchDimensions() const;
  Dims BatchShape() const;
  // Signed, the components last: of `BatchShape()` and one dimension more.
  MlirValue PlainIndices() const;
  // Gives the scatter these indices, in the form of `PlainIndices`.
  void SetPlainIndices(MlirValue plain);

  // Gives the operation what has changed here. Whoever uses a result gets what
  // `back` makes of it.
  using Back =
      std::function<MlirValue(const StablehloBuilder&, MlirValue result)>;
  void Write(const Back& back = nullptr) const;

  const Ir& ir;
  const MlirOperation op;
  const StablehloBuilder builder;  // before the operation
  DimensionNumbers numbers;
  // One or more of each, all of the same shape.
  std::vector<MlirValue> arrays;
  MlirValue indices;
  std::vector<MlirValue> updates;
};

// The scatters of the module, before any is changed.
std::vector<MlirOperation> ScattersIn(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_SCATTER_H_
