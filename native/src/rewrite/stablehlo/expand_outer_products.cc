// SPDX-License-Identifier: Apache-2.0
// Products that add nothing up: of columns with rows, and of batches of
// numbers. IREE (3.11, 3.13) multiplies too, but converts the factors within
// the product: it refuses two products that share a transposed factor of a
// narrower type, rounds twice, and ends the process (3.13) where one factor
// comes from another product. The pass multiplies what is converted before.
#include <algorithm>
#include <string>

#include "mlir/dimension_numbers.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Whether a number of the result is a sum, be it of no product.
bool AddsUp(const Dims& shape, const Dims& contracting) {
  return std::ranges::any_of(contracting,
                             [&](int64_t d) { return shape.at(d) != 1; });
}

// A factor in the shape and type of the result, in which its free dimensions
// begin at `place`.
MlirValue Spread(const StablehloBuilder& builder, MlirValue factor,
                 const Dims& batching, const Dims& contracting, size_t place,
                 MlirValue result) {
  const Dims shape = builder.ShapeOf(factor);
  Dims kept;
  Dims places;
  for (const int64_t d : UpTo(shape.size())) {
    if (IsIn(contracting, d)) continue;
    const auto batch = std::ranges::find(batching, d);
    kept.push_back(shape.at(d));
    places.push_back(batch == batching.end()
                         ? static_cast<int64_t>(place++)
                         : std::distance(batching.begin(), batch));
  }
  const std::string element = builder.ElementOf(result);
  if (builder.ElementOf(factor) != element) {
    factor = builder.Convert(factor, element);
  }
  return builder.Broadcast(builder.Reshape(factor, kept),
                           builder.ShapeOf(result), places);
}

void Expand(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  const MlirValue lhs = ir.Operands(op).at(0);
  const MlirValue rhs = ir.Operands(op).at(1);
  const MlirValue result = ir.Results(op).at(0);
  const auto [lhs_batching, rhs_batching, lhs_contracting, rhs_contracting] =
      ReadProductDimensions(ir, op);
  const Dims shape = builder.ShapeOf(lhs);
  if (AddsUp(shape, lhs_contracting)) return;
  const size_t rhs_place = shape.size() - lhs_contracting.size();
  ir.Replace(op,
             {builder.Apply("multiply",
                            {Spread(builder, lhs, lhs_batching, lhs_contracting,
                                    lhs_batching.size(), result),
                             Spread(builder, rhs, rhs_batching, rhs_contracting,
                                    rhs_place, result)})});
}

}  // namespace

void ExpandOuterProducts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "dot_general") Expand(ir, op);
  }
}

}  // namespace iree_pjrt
