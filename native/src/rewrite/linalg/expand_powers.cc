// SPDX-License-Identifier: Apache-2.0
// Powers. IREE 3.11 computes x ** y as exp(y * log(x)), which is NaN for x < 0
// and for 0 ** 0. The pass takes the power of |x|, and then applies the special
// cases that C's pow has.
#include "mlir/scalar_builder.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// `of_absolute` is |x| ** y, and right for |x| > 0.
MlirValue Power(const ScalarBuilder& b, MlirValue x, MlirValue absolute,
                MlirValue y, MlirValue of_absolute) {
  constexpr int kEqual = ScalarBuilder::kEqual;
  constexpr int kOther = ScalarBuilder::kUnorderedNotEqual;
  const MlirValue zero = b.Constant("0.0");
  const MlirValue one = b.Constant("1.0");
  const MlirValue infinity = b.Apply("arith.divf", {one, zero});
  const MlirValue nan = b.Apply("arith.divf", {zero, zero});
  // 1 ** y is 1, even if y is NaN or infinite.
  const MlirValue power =
      b.Select(b.Compare(kEqual, absolute, one), one, of_absolute);
  const MlirValue of_negative =
      b.Select(b.Compare(kEqual, absolute, infinity), power, nan);
  const MlirValue of_fraction =
      b.Select(b.Compare(ScalarBuilder::kLess, x, zero), of_negative, power);
  // An integer is odd if its half is no integer.
  const MlirValue half = b.Apply("arith.mulf", {y, b.Constant("0.5")});
  const MlirValue odd = b.Compare(kOther, half, b.Apply("math.floor", {half}));
  const MlirValue of_integer =
      b.Select(odd, b.Apply("math.copysign", {power, x}), power);
  const MlirValue fraction = b.Compare(kOther, y, b.Apply("math.floor", {y}));
  return b.Select(b.Compare(kEqual, y, zero), one,
                  b.Select(fraction, of_fraction, of_integer));
}

}  // namespace

void ExpandPowers(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "math.powf") continue;
    const MlirValue x = ir.api.mlirOperationGetOperand(op, 0);
    const MlirValue y = ir.api.mlirOperationGetOperand(op, 1);
    const ScalarBuilder b(ir, op);
    const MlirValue absolute = b.Apply("math.absf", {x});
    const MlirValue of_absolute = b.Apply("math.powf", {absolute, y});
    ir.Replace(op, {Power(b, x, absolute, y, of_absolute)});
  }
}

}  // namespace iree_pjrt
