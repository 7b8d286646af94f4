// SPDX-License-Identifier: Apache-2.0
#include "rewrite/stablehlo/elementwise.h"

#include <algorithm>
#include <array>
#include <vector>

#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 43> kElementwise = {
    "abs",
    "add",
    "and",
    "atan2",
    "bitcast_convert",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "complex",
    "convert",
    "cosine",
    "count_leading_zeros",
    "divide",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "is_finite",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "real",
    "reduce_precision",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "select",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tanh",
    "xor"};

// What is further away is an array of its own anyway.
constexpr int kDeepest = 8;

bool IsSpreadScalar(const Ir& ir, MlirOperation op) {
  return StablehloName(ir.Name(op)) == "broadcast_in_dim" &&
         StablehloBuilder(ir, op).ShapeOf(ir.Operands(op)[0]).empty();
}

bool TakesAnyShape(const Ir& ir, MlirValue array, int depth) {
  const MlirOperation op = ir.Definition(array);
  if (!op.ptr) return true;
  const std::string_view name = StablehloName(ir.Name(op));
  if (name == "constant" || IsSpreadScalar(ir, op)) return true;
  if (depth == kDeepest || !IsElementwise(name)) return false;
  const StablehloBuilder builder(ir, op);
  const Dims shape = builder.ShapeOf(array);
  return std::ranges::all_of(ir.Operands(op), [&](MlirValue operand) {
    // A `bitcast_convert` may have another, and the predicate of a `select`.
    const Dims its = builder.ShapeOf(operand);
    return its.empty() ||
           (its == shape && TakesAnyShape(ir, operand, depth + 1));
  });
}

}  // namespace

bool IsElementwise(std::string_view name) {
  return std::ranges::find(kElementwise, name) != kElementwise.end();
}

bool TakesAnyShape(const Ir& ir, MlirValue array) {
  return TakesAnyShape(ir, array, 0);
}

MlirValue InShape(const Ir& ir, MlirOperation before, MlirValue array,
                  const Dims& shape) {
  const StablehloBuilder builder(ir, before);
  // Such as the predicate of a `select`.
  if (builder.ShapeOf(array).empty()) return array;
  const MlirOperation op = ir.Definition(array);
  if (op.ptr && IsSpreadScalar(ir, op)) {
    return builder.Broadcast(ir.Operands(op)[0], shape, {});
  }
  if (!op.ptr || !IsElementwise(StablehloName(ir.Name(op))) ||
      ir.Uses(array).size() != 1) {
    return builder.Reshape(array, shape);
  }
  std::vector<MlirValue> operands;
  for (const MlirValue operand : ir.Operands(op)) {
    operands.push_back(InShape(ir, before, operand, shape));
  }
  const MlirOperation reshaped = ir.CloneBefore(before, op);
  for (size_t i = 0; i < operands.size(); ++i) {
    ir.api.mlirOperationSetOperand(reshaped, static_cast<intptr_t>(i),
                                   operands[i]);
  }
  const MlirValue result = ir.api.mlirOperationGetResult(reshaped, 0);
  ir.api.mlirValueSetType(result,
                          ir.ParseType(builder.TypeOf(array).Reshaped(shape)));
  return result;
}

}  // namespace iree_pjrt
