// SPDX-License-Identifier: Apache-2.0
// StableHLO moves a slice that does not fit into the array to the nearest place
// where it does. The code of IREE 3.11 does not check bounds, and reads outside
// of the array. The pass clamps the indices. `dynamic_slice` and
// `dynamic_update_slice` are clamped by IREE, but (3.11 and 3.13) places from
// 2^63 on as negative ones: the pass gives them signed indices.

#include "mlir/attributes.h"
#include "mlir/dimension_numbers.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {
namespace {

// Clamps the components of each index to `limits`. The components lie along
// dimension `vector` of the indices.
void Clamp(const Ir& ir, MlirOperation op, int64_t vector, const Dims& limits) {
  const StablehloBuilder builder(ir, op);
  const MlirValue given = ir.api.mlirOperationGetOperand(op, 1);
  const Dims shape = builder.ShapeOf(given);
  if (limits.empty() || HasNoElements(shape) ||
      SurelyFit(ir, given, vector, limits)) {
    return;
  }
  const MlirValue indices = SignedIndices(builder, given);
  const std::string element = builder.ElementOf(indices);
  MlirValue most = builder.Splat(shape, element, limits[0]);
  if (limits.size() > 1) {
    most =
        builder.Broadcast(builder.Integers(element, limits), shape, {vector});
  }
  ir.api.mlirOperationSetOperand(
      op, 1, builder.Clamp(builder.Splat({}, element, 0), indices, most));
}

Dims LimitsOf(const Ir& ir, MlirOperation op, const Dims& dimensions,
              const Dims& sizes) {
  Dims limits;
  const Dims shape =
      StablehloBuilder(ir, op).ShapeOf(ir.api.mlirOperationGetOperand(op, 0));
  for (const int64_t dimension : dimensions) {
    const auto d = static_cast<size_t>(dimension);
    limits.push_back(shape.at(d) - sizes.at(d));
  }
  return limits;
}

// Makes the operands from `first` on signed, if they are not.
void SignStarts(const Ir& ir, MlirOperation op, intptr_t first) {
  const StablehloBuilder builder(ir, op);
  for (intptr_t i = first; i < ir.api.mlirOperationGetNumOperands(op); ++i) {
    const MlirValue start = ir.api.mlirOperationGetOperand(op, i);
    if (!builder.ElementOf(start).starts_with("ui")) return;
    ir.api.mlirOperationSetOperand(op, i, SignedIndices(builder, start));
  }
}

}  // namespace

void ClampGathers(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (name == "gather") {
      const DimensionNumbers numbers = ReadDimensionNumbers(ir, op);
      const Dims sizes =
          ReadIntegers(ir, BuiltinAttribute(ir, op, "slice_sizes"));
      Clamp(ir, op, numbers.vector, LimitsOf(ir, op, numbers.indexed, sizes));
    } else if (name == "torch_index_select") {
      const int64_t dimension =
          ReadInteger(ir, BuiltinAttribute(ir, op, "dim"));
      const Dims ones(static_cast<size_t>(dimension) + 1, 1);
      Clamp(ir, op, 0, LimitsOf(ir, op, {dimension}, ones));
    } else if (name == "dynamic_slice") {
      SignStarts(ir, op, 1);
    } else if (name == "dynamic_update_slice") {
      SignStarts(ir, op, 2);
    }
  }
}

}  // namespace iree_pjrt
