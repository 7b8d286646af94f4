// SPDX-License-Identifier: Apache-2.0
// Functions of floats of at most 32 bits whose approximations in IREE 3.11 are
// off by more than a few units in the last place, or wrong at the ends of their
// range. The pass computes them in float64.
#include <algorithm>
#include <array>
#include <optional>

#include "mlir/float64_builder.h"
#include "rewrite/linalg/exponentials.h"
#include "rewrite/linalg/passes.h"
#include "rewrite/linalg/turns.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 6> kWidened = {"math.acos", "math.asin",
                                                      "math.atan", "math.atan2",
                                                      "math.cbrt", "math.powf"};

// In float64. The base of a power is not negative (ExpandPowers).
MlirValue Widened(const Ir& ir, MlirOperation op, const ScalarBuilder& b,
                  const std::vector<MlirValue>& operands) {
  const Exponentials of(ir, op);
  if (ir.Name(op) == "math.powf") {
    return of.Float32Power(operands.at(0), operands.at(1));
  }
  if (ir.Name(op) == "math.cbrt") {
    const MlirValue root =
        of.Float32Power(b.Apply("math.absf", {operands.at(0)}),
                        b.Constant("0.33333333333333331"));
    return b.Apply("math.copysign", {root, operands.at(0)});
  }
  return b.Apply(ir.Name(op), operands);
}

std::optional<Turn> TurnOf(std::string_view name) {
  if (name == "math.sin") return Turn::kSine;
  if (name == "math.cos") return Turn::kCosine;
  if (name == "math.tan") return Turn::kTangent;
  return std::nullopt;
}

bool IsNarrow(const std::string& type) {
  return type == "f32" || type == "f16" || type == "bf16";
}

std::vector<MlirValue> Wide(const Ir& ir, MlirOperation op,
                            const ScalarBuilder& b) {
  std::vector<MlirValue> wide;
  for (const MlirValue operand : ir.Operands(op)) {
    wide.push_back(b.Apply("arith.extf", {operand}));
  }
  return wide;
}

}  // namespace

void WidenMath(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = ir.Name(op);
    const std::optional<Turn> turn = TurnOf(name);
    const bool widened =
        std::find(kWidened.begin(), kWidened.end(), name) != kWidened.end();
    if (!turn && !widened) continue;
    const MlirType type = ir.ResultTypes(op).at(0);
    if (!IsNarrow(ir.Print(type))) continue;
    const Float64Builder b(ir, op);
    const std::vector<MlirValue> wide = Wide(ir, op, b);
    const MlirValue result =
        turn ? MakeTurn(b, *turn, wide.at(0)) : Widened(ir, op, b, wide);
    ir.Replace(op,
               {ScalarBuilder(ir, op, type).Apply("arith.truncf", {result})});
  }
}

}  // namespace iree_pjrt
