// SPDX-License-Identifier: Apache-2.0
// The absolute value of complex numbers of two float32. IREE (3.11, 3.13) takes
// the root of the sum of their squares, which overflow for parts beyond 1e19,
// and are zero below 1e-23. The pass divides by the larger part before.
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

MlirValue Size(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  const MlirValue number = ir.Operands(op).at(0);
  const MlirType part = builder.Type(builder.ShapeOf(number), "f32");
  const MlirValue real = builder.Apply("abs", {builder.Part("real", number)});
  const MlirValue imaginary =
      builder.Apply("abs", {builder.Part("imag", number)});
  const MlirValue is_steep = builder.Compare("LT", real, imaginary);
  const MlirValue larger = builder.Select(is_steep, imaginary, real);
  const MlirValue smaller = builder.Select(is_steep, real, imaginary);
  const MlirValue ratio = builder.Apply("divide", {smaller, larger});
  const MlirValue sum = builder.Apply(
      "add",
      {builder.Apply("multiply", {ratio, ratio}), builder.Splat(part, "1.0")});
  const MlirValue size =
      builder.Apply("multiply", {larger, builder.Apply("sqrt", {sum})});
  // Two zeros, or two infinities, have no ratio.
  return builder.Select(
      builder.Compare("EQ", real, imaginary),
      builder.Apply("multiply", {larger, builder.Splat(part, "1.41421354")}),
      size);
}

}  // namespace

void RewriteComplexAbs(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "abs") continue;
    const StablehloBuilder builder(ir, op);
    if (builder.ElementOf(ir.Operands(op).at(0)) == "complex<f32>") {
      ir.Replace(op, {Size(ir, op)});
    }
  }
}

}  // namespace iree_pjrt
