// SPDX-License-Identifier: Apache-2.0
// Slices of arrays that were converted: x.astype(float32)[a:b]. IREE (3.13)
// converts the whole array again in each dispatch that uses it; for GPUs, all
// of it in the memory of one group of threads, which it then refuses as too
// large. The pass slices first.

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// What an array was converted from, behind reshapes; null if it was not.
MlirValue BeforeConversion(const Ir& ir, MlirValue array) {
  MlirOperation op = ir.Definition(array);
  while (op.ptr && StablehloName(ir.Name(op)) == "reshape") {
    op = ir.Definition(ir.Operands(op).at(0));
  }
  if (!op.ptr || StablehloName(ir.Name(op)) != "convert") return {nullptr};
  return ir.Operands(op).at(0);
}

}  // namespace

void ConvertAfterSlices(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "slice") continue;
    const MlirValue array = ir.Operands(op).at(0);
    const MlirValue source = BeforeConversion(ir, array);
    if (!source.ptr || !ArrayTypeOf(ir, array)) continue;
    const StablehloBuilder builder(ir, op);
    const auto numbers = [&](const char* name) {
      return ReadIntegers(ir, BuiltinAttribute(ir, op, name));
    };
    const MlirValue slice = builder.Slice(
        builder.Reshape(source, builder.ShapeOf(array)),
        numbers("start_indices"), numbers("limit_indices"), numbers("strides"));
    ir.Replace(op, {builder.Convert(slice, builder.ElementOf(array))});
  }
}

}  // namespace iree_pjrt
