// SPDX-License-Identifier: Apache-2.0
// The absolute value of complex numbers of two float32. IREE 3.11 takes the
// root of the sum of their squares. The squares overflow for parts beyond 1e19,
// and are zero below 1e-23. The pass computes them in float64.
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {

void RewriteComplexAbs(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "abs") continue;
    const StablehloBuilder builder(ir, op);
    const MlirValue operand = ir.api.mlirOperationGetOperand(op, 0);
    if (builder.ElementOf(operand) != "complex<f32>") continue;
    const MlirOperation wide = ir.CreateBefore(
        op, ir.Name(op), {builder.Convert(operand, "complex<f64>")},
        {builder.Type(builder.ShapeOf(operand), "f64")}, {});
    ir.Replace(
        op, {builder.Convert(ir.api.mlirOperationGetResult(wide, 0), "f32")});
  }
}

}  // namespace iree_pjrt
