// SPDX-License-Identifier: Apache-2.0
// Floats converted to integers. StableHLO leaves open what NaN and numbers out
// of range become, and IREE takes what the processor makes of them, or the host
// if it converts. With XLA, which the pass follows, they are zero and the
// nearest integer.
#include <cmath>
#include <format>
#include <limits>

#include "mlir/scalar_builder.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

struct Conversion {
  MlirOperation op;
  bool is_signed;
  int bits;         // of the integer
  int significand;  // bits of the float's that are exact, or 0
};

// 0 for types that are not computed with here.
int SignificandOf(const Ir& ir, MlirValue x) {
  const std::string type = ir.Print(ir.api.mlirValueGetType(x));
  if (type == "f64") return std::numeric_limits<double>::digits;
  const bool is_narrow = type == "f16" || type == "bf16";
  return is_narrow || type == "f32" ? std::numeric_limits<float>::digits : 0;
}

// The operand, as float32 if it is narrower.
MlirValue WideOperand(const Ir& ir, MlirOperation op) {
  const MlirValue x = ir.api.mlirOperationGetOperand(op, 0);
  const std::string type = ir.Print(ir.api.mlirValueGetType(x));
  if (type == "f32" || type == "f64") return x;
  return ScalarBuilder(ir, op, ir.ParseType("f32")).Apply("arith.extf", {x});
}

MlirValue Saturated(const Ir& ir, const Conversion& conversion) {
  const MlirValue x = WideOperand(ir, conversion.op);
  const ScalarBuilder f(ir, conversion.op, ir.api.mlirValueGetType(x));
  const ScalarBuilder i(ir, conversion.op, ir.ResultTypes(conversion.op).at(0));
  const int magnitude = conversion.bits - (conversion.is_signed ? 1 : 0);
  const auto number = [&](double value) {
    return f.Constant(std::format("{:.1f}", value));
  };
  const auto less = [&](MlirValue a, MlirValue b) {
    return f.Compare(ScalarBuilder::kLess, a, b);
  };
  const auto converted = [&](MlirValue from) {
    return i.Apply(ir.Name(conversion.op), {from});
  };
  // NaN is less than nothing, and so becomes the lowest: zero if unsigned.
  const MlirValue known =
      conversion.is_signed
          ? f.Select(f.Compare(ScalarBuilder::kUnordered, x, x), number(0), x)
          : x;
  const double beyond = std::ldexp(1.0, magnitude);
  const MlirValue lowest = number(conversion.is_signed ? -beyond : 0);
  const MlirValue least = f.Select(less(lowest, known), known, lowest);
  if (magnitude <= conversion.significand) {
    const MlirValue most = number(beyond - 1);
    return converted(f.Select(less(least, most), least, most));
  }
  const int64_t most =
      conversion.is_signed
          ? std::numeric_limits<int64_t>::max() >> (63 - magnitude)
          : -1;
  return i.Select(less(least, number(beyond)), converted(least),
                  i.Constant(most));
}

}  // namespace

void SaturateConversions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = ir.Name(op);
    const bool is_signed = name == "arith.fptosi";
    if (!is_signed && name != "arith.fptoui") continue;
    const int significand =
        SignificandOf(ir, ir.api.mlirOperationGetOperand(op, 0));
    const MlirType to = ir.ResultTypes(op).at(0);
    if (significand == 0 || !ir.api.mlirTypeIsAInteger(to)) continue;
    const auto bits = static_cast<int>(ir.api.mlirIntegerTypeGetWidth(to));
    ir.Replace(op, {Saturated(ir, {op, is_signed, bits, significand})});
  }
}

}  // namespace iree_pjrt
