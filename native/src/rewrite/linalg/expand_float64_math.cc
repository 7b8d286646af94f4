// SPDX-License-Identifier: Apache-2.0
// Functions of float64 that IREE (3.11, 3.13) has no lowering for (cbrt),
// expands so that small results are lost (expm1 as exp(x) - 1, log1p as
// log(1 + x)), or calls for one number after another (exp, tanh).
//
// log1p as W. Kahan does it: the error of a rounded intermediate is divided out
// by a second one that has the same error.
#include "mlir/scalar_builder.h"
#include "rewrite/linalg/exponentials.h"
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

// Null for other functions.
MlirValue Expanded(const Ir& ir, MlirOperation op, MlirValue x) {
  const std::string_view name = ir.Name(op);
  if (name == "math.cbrt") return Cbrt(ScalarBuilder(ir, op), x);
  if (name == "math.log1p") return Log1p(ScalarBuilder(ir, op), x);
  const Exponentials of(ir, op);
  if (name == "math.exp") return of.Exp(x);
  if (name == "math.expm1") return of.Expm1(x);
  if (name == "math.tanh") return of.Tanh(x);
  return {nullptr};
}

}  // namespace

void ExpandFloat64Math(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!ir.Name(op).starts_with("math.")) continue;
    const MlirValue x = ir.Operands(op).at(0);
    if (ir.Print(ir.api.mlirValueGetType(x)) != "f64") continue;
    const MlirValue expanded = Expanded(ir, op, x);
    if (expanded.ptr) ir.Replace(op, {expanded});
  }
}

}  // namespace iree_pjrt
