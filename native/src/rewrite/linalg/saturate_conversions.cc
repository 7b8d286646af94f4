// SPDX-License-Identifier: Apache-2.0
// Floats converted to integers. StableHLO leaves open what NaN and numbers out
// of range become, and IREE takes what the processor makes of them, or the host
// if it converts. With XLA, which the pass follows, they are zero and the
// nearest integer.
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "mlir/scalar_builder.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// The operand, as float32 if it is narrower; null for types that are not
// computed with here.
MlirValue WideOperand(const Ir& ir, MlirOperation op) {
  const MlirValue x = ir.api.mlirOperationGetOperand(op, 0);
  const std::string type = ir.Print(ir.api.mlirValueGetType(x));
  if (type == "f32" || type == "f64") return x;
  if (type != "f16" && type != "bf16") return {nullptr};
  return ScalarBuilder(ir, op, ir.ParseType("f32")).Apply("arith.extf", {x});
}

// By to_chars, as the decimal point of to_string depends on the locale.
MlirValue Number(const ScalarBuilder& f, double value) {
  std::array<char, 64> text;
  const auto written =
      std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed,
                    /*precision=*/1);
  return f.Constant(std::string_view(text.begin(), written.ptr));
}

// `x` is a float32 or float64.
MlirValue Saturated(const Ir& ir, MlirOperation op, MlirValue x) {
  const MlirType from = ir.api.mlirValueGetType(x);
  const MlirType to = ir.ResultTypes(op).at(0);
  const ScalarBuilder f(ir, op, from);
  const ScalarBuilder i(ir, op, to);
  const bool is_signed = ir.Name(op) == "arith.fptosi";
  const auto bits = static_cast<int>(ir.api.mlirIntegerTypeGetWidth(to));
  const int magnitude = is_signed ? bits - 1 : bits;
  const int exact = ir.Print(from) == "f64"
                        ? std::numeric_limits<double>::digits
                        : std::numeric_limits<float>::digits;
  const auto number = [&](double value) { return Number(f, value); };
  const auto less = [&](MlirValue a, MlirValue b) {
    return f.Compare(ScalarBuilder::kLess, a, b);
  };
  const auto converted = [&](MlirValue bounded) {
    return i.Apply(ir.Name(op), {bounded});
  };
  // NaN is less than nothing, and so becomes the lowest: zero if unsigned.
  const MlirValue known =
      is_signed
          ? f.Select(f.Compare(ScalarBuilder::kUnordered, x, x), number(0), x)
          : x;
  const double beyond = std::ldexp(1.0, magnitude);
  const MlirValue lowest = number(is_signed ? -beyond : 0);
  const MlirValue least = f.Select(less(lowest, known), known, lowest);
  if (magnitude <= exact) {
    const MlirValue most = number(beyond - 1);
    return converted(f.Select(less(least, most), least, most));
  }
  const int64_t most =
      is_signed ? std::numeric_limits<int64_t>::max() >> (63 - magnitude)
                : -1;  // all bits
  return i.Select(less(least, number(beyond)), converted(least),
                  i.Constant(most));
}

}  // namespace

void SaturateConversions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = ir.Name(op);
    if (name != "arith.fptosi" && name != "arith.fptoui") continue;
    if (!ir.api.mlirTypeIsAInteger(ir.ResultTypes(op).at(0))) continue;
    const MlirValue x = WideOperand(ir, op);
    if (x.ptr) ir.Replace(op, {Saturated(ir, op, x)});
  }
}

}  // namespace iree_pjrt
