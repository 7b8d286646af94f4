// SPDX-License-Identifier: Apache-2.0
// Functions of float64 that IREE 3.11 has no lowering for (cbrt) or expands so
// that small results are lost (expm1 as exp(x) - 1, log1p as log(1 + x)).
// The latter two as W. Kahan does it: the error of a rounded intermediate is
// divided out by a second one that has the same error.
#include "mlir/scalar_builder.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// a == b ? yes : no
MlirValue IfEqual(const ScalarBuilder& builder, MlirValue a, MlirValue b,
                  MlirValue yes, MlirValue no) {
  return builder.Select(builder.Compare(ScalarBuilder::kEqual, a, b), yes, no);
}

// |x| ** (1/3) with the sign of x; right to some 1e-14 at the range's ends.
MlirValue Cbrt(const ScalarBuilder& b, MlirValue x) {
  const MlirValue root =
      b.Apply("math.powf",
              {b.Apply("math.absf", {x}), b.Constant("0.33333333333333331")});
  return b.Apply("math.copysign", {root, x});
}

// u = exp(x): (u - 1) * x / log(u)
MlirValue Expm1(const ScalarBuilder& b, MlirValue x) {
  const MlirValue one = b.Constant("1.0");
  const MlirValue u = b.Apply("math.exp", {x});
  const MlirValue difference = b.Apply("arith.subf", {u, one});
  const MlirValue ratio = b.Apply("arith.divf", {x, b.Apply("math.log", {u})});
  const MlirValue general = b.Apply("arith.mulf", {difference, ratio});
  // If exp has overflowed, or rounded to zero, there is no error to divide out.
  const MlirValue ends =
      IfEqual(b, u, b.Constant("0x7FF0000000000000"), u,
              IfEqual(b, u, b.Constant("0.0"), b.Constant("-1.0"), general));
  return IfEqual(b, u, one, x, ends);
}

// u = 1 + x: log(u) * x / (u - 1)
MlirValue Log1p(const ScalarBuilder& b, MlirValue x) {
  const MlirValue one = b.Constant("1.0");
  const MlirValue u = b.Apply("arith.addf", {x, one});
  const MlirValue ratio =
      b.Apply("arith.divf", {x, b.Apply("arith.subf", {u, one})});
  const MlirValue log = b.Apply("math.log", {u});
  const MlirValue general = b.Apply("arith.mulf", {log, ratio});
  const MlirValue infinity = b.Constant("0x7FF0000000000000");
  return IfEqual(b, u, one, x, IfEqual(b, u, infinity, log, general));
}

}  // namespace

void ExpandFloat64Math(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = ir.Name(op);
    const auto expand = name == "math.cbrt"    ? &Cbrt
                        : name == "math.expm1" ? &Expm1
                        : name == "math.log1p" ? &Log1p
                                               : nullptr;
    if (!expand) continue;
    const MlirValue x = ir.api.mlirOperationGetOperand(op, 0);
    if (ir.Print(ir.api.mlirValueGetType(x)) != "f64") continue;
    ir.Replace(op, {expand(ScalarBuilder(ir, op), x)});
  }
}

}  // namespace iree_pjrt
