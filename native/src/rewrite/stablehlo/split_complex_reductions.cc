// SPDX-License-Identifier: Apache-2.0
// Sums of complex numbers. IREE (3.11, 3.13) makes scalar code of them for
// CPUs, and refuses them for GPUs ("failed to get neutral element"). The pass
// sums real and imaginary parts; for CPUs both at once, since what takes the
// time is to read them.
#include <vector>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Whether it reduces one array of complex numbers by adding them.
bool IsComplexSum(const Ir& ir, MlirOperation op) {
  if (StablehloName(ir.Name(op)) != "reduce" ||
      ir.api.mlirOperationGetNumOperands(op) != 2) {
    return false;
  }
  const auto type = ArrayTypeOf(ir, ir.Operands(op).at(0));
  if (!type || !type->Element().starts_with("complex")) return false;
  const std::vector<MlirOperation> body = ir.OperationsOf(ir.Body(op));
  return body.size() == 2 && StablehloName(ir.Name(body[0])) == "add" &&
         ir.Operands(body[1]).at(0).ptr == ir.Results(body[0]).at(0).ptr;
}

}  // namespace

void SplitComplexReductions(const Ir& ir, bool at_once) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsComplexSum(ir, op)) continue;
    const StablehloBuilder builder(ir, op);
    const auto dimensions =
        ReadIntegers(ir, BuiltinAttribute(ir, op, "dimensions"));
    const auto parts_of = [&](MlirValue array) {
      return std::vector{builder.Part("real", array),
                         builder.Part("imag", array)};
    };
    const std::vector<MlirValue> parts = parts_of(ir.Operands(op).at(0));
    const std::vector<MlirValue> starts = parts_of(builder.Broadcast(
        ir.Operands(op).at(1), builder.ShapeOf(ir.Results(op).at(0)), {}));
    const std::vector<MlirValue> sums =
        at_once ? builder.Sums(parts, dimensions)
                : std::vector{builder.Sum(parts[0], dimensions),
                              builder.Sum(parts[1], dimensions)};
    ir.Replace(op,
               {builder.Complex(builder.Apply("add", {sums[0], starts[0]}),
                                builder.Apply("add", {sums[1], starts[1]}))});
  }
}

}  // namespace iree_pjrt
