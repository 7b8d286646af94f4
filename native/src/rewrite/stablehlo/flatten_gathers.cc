// SPDX-License-Identifier: Apache-2.0
// Gathers at indices of several components: x[i, j]. JAX puts the components
// side by side in one array. IREE (3.13) writes that array, and reads it again
// for each element, one by one. The pass makes one number of the components,
// the place in the array without these dimensions.
#include "mlir/attributes.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/flat_places.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr char kSizes[] = "slice_sizes";

void Flatten(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  const DimensionNumbers numbers = ReadDimensionNumbers(ir, op);
  const MlirValue array = ir.Operands(op).at(0);
  const MlirValue indices = ir.Operands(op).at(1);
  const Dims shape = builder.ShapeOf(array);
  const FlatPlaces flat(ir, builder, numbers, shape);
  if (!flat.Exist() || HasNoElements(builder.ShapeOf(indices))) return;
  const MlirValue places = flat.Of(indices).nearest;
  const MlirValue flat_array = builder.Reshape(array, flat.Flat(shape));
  const MlirOperation made = ir.CloneBefore(op, op);
  ir.api.mlirOperationSetOperand(made, 0, flat_array);
  ir.api.mlirOperationSetOperand(made, 1, places);
  DimensionNumbers flattened = flat.Numbers();
  flattened.vector = std::ssize(builder.ShapeOf(places));
  WriteDimensionNumbers(ir, made, flattened);
  const Dims sizes = ReadIntegers(ir, BuiltinAttribute(ir, op, kSizes));
  ir.SetAttribute(made, kSizes, IntegersLike(ir, op, flat.Flat(sizes)));
  ir.Replace(op, ir.Results(made));
}

}  // namespace

void FlattenGathers(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "gather") Flatten(ir, op);
  }
}

}  // namespace iree_pjrt
