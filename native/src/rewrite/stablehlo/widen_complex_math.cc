// SPDX-License-Identifier: Apache-2.0
// expm1, tan and tanh of complex numbers of two float32. IREE (3.11, 3.13)
// takes them apart when passes here do not see it any more, into sines that are
// wrong for large angles, and differences of what is nearly equal. In float64
// both come out right.
#include <algorithm>
#include <array>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 3> kInexact = {"exponential_minus_one",
                                                      "tan", "tanh"};
constexpr char kComplex64[] = "complex<f32>";
constexpr char kComplex128[] = "complex<f64>";

}  // namespace

void WidenComplexMath(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (std::ranges::find(kInexact, StablehloName(ir.Name(op))) ==
        kInexact.end()) {
      continue;
    }
    const StablehloBuilder builder(ir, op);
    const MlirValue operand = ir.Operands(op).at(0);
    if (builder.ElementOf(operand) != kComplex64) continue;
    const MlirOperation wide = ir.CloneBefore(op, op);
    const MlirValue result = ir.Results(wide).at(0);
    ir.api.mlirOperationSetOperand(
        wide, 0, StablehloBuilder(ir, wide).Convert(operand, kComplex128));
    ir.api.mlirValueSetType(
        result, builder.Type(builder.ShapeOf(operand), kComplex128));
    ir.Replace(op, {builder.Convert(result, kComplex64)});
  }
}

}  // namespace iree_pjrt
