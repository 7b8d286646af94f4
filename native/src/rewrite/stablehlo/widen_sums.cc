// SPDX-License-Identifier: Apache-2.0
// Sums of floats of at most 16 bits. IREE 3.11 rounds after each term: in
// bfloat16, 256 ones and one more are 256. As XLA does, the pass computes
// products, convolutions, reductions and windows of them in float32, and rounds
// once.
#include <algorithm>
#include <array>
#include <optional>

#include "mlir/retype.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 6> kNarrow = {
    "bf16", "f16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};
constexpr std::string_view kWide = "f32";

class Widening {
 public:
  Widening(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        convert_(StablehloNameLike(ir.Name(op), "convert")) {}

  // Users of a result get it rounded.
  void RoundResults() {
    const MlirOperation next = ir_.api.mlirOperationGetNextInBlock(op_);
    for (const MlirValue result : ir_.Results(op_)) {
      if (const auto wide = Wide(result)) {
        RetypeBehindCast(ir_, result, *wide, convert_, next);
      }
    }
  }

  // Those of 8 bits: what decodes them has no place in the body of a product,
  // and would run once for each of its terms.
  void WidenBytes() { WidenOperands("f8"); }

  void WidenOperands(std::string_view prefix = "") {
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumOperands(op_); ++i) {
      const MlirValue operand = ir_.api.mlirOperationGetOperand(op_, i);
      if (Wide(operand) &&
          ArrayTypeOf(ir_, operand)->Element().starts_with(prefix)) {
        ir_.api.mlirOperationSetOperand(op_, i,
                                        builder_.Convert(operand, kWide));
      }
    }
  }

  void WidenBody() {
    const MlirBlock body = ir_.Body(op_);
    for (intptr_t i = 0; i < ir_.api.mlirBlockGetNumArguments(body); ++i) {
      BecomeWide(ir_.api.mlirBlockGetArgument(body, i));
    }
    for (MlirOperation inner = ir_.api.mlirBlockGetFirstOperation(body);
         inner.ptr; inner = ir_.api.mlirOperationGetNextInBlock(inner)) {
      for (const MlirValue result : ir_.Results(inner)) BecomeWide(result);
    }
  }

 private:
  // The type of the value with wide elements; empty if its elements are others.
  std::optional<MlirType> Wide(MlirValue value) const {
    const auto type = ArrayTypeOf(ir_, value);
    if (!type || std::ranges::find(kNarrow, type->Element()) == kNarrow.end()) {
      return std::nullopt;
    }
    return builder_.Type(type->shape, kWide);
  }

  void BecomeWide(MlirValue value) const {
    if (const auto wide = Wide(value)) {
      ir_.api.mlirValueSetType(value, *wide);
    }
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  const std::string convert_;
};

// Whether the body rounds what it computes, and the types of its operations
// follow from those of their operands.
bool IsOfSums(const Ir& ir, MlirOperation reduce) {
  constexpr std::array<std::string_view, 3> kRounding = {"add", "subtract",
                                                         "multiply"};
  constexpr std::array<std::string_view, 5> kTyped = {
      "bitcast_convert", "call", "constant", "convert", "custom_call"};
  const auto holds = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  bool rounds = false;
  for (MlirOperation op = ir.api.mlirBlockGetFirstOperation(ir.Body(reduce));
       op.ptr; op = ir.api.mlirOperationGetNextInBlock(op)) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (name.empty() || holds(kTyped, name) ||
        ir.api.mlirOperationGetNumRegions(op) > 0) {
      return false;
    }
    rounds = rounds || holds(kRounding, name);
  }
  return rounds;
}

// Keeps a cumulative sum apart from the conversions around it: IREE runs them
// as one, with the whole array in between on the stack.
void StayApart(const Ir& ir, MlirOperation window) {
  for (intptr_t i = 0; i < ir.api.mlirOperationGetNumResults(window); ++i) {
    const MlirValue operand = ir.api.mlirOperationGetOperand(window, i);
    if (ir.Definition(operand).ptr) ir.PutBehindBarrier(operand);
    ir.PutBehindBarrier(ir.api.mlirOperationGetResult(window, i));
  }
}

}  // namespace

void WidenSums(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (name == "dot_general" || name == "dot" || name == "convolution") {
      Widening widening(ir, op);
      widening.WidenBytes();
      widening.RoundResults();
    } else if ((name == "reduce" || name == "reduce_window") &&
               IsOfSums(ir, op)) {
      Widening widening(ir, op);
      widening.WidenOperands();
      widening.RoundResults();
      widening.WidenBody();
      if (name == "reduce_window") StayApart(ir, op);
    }
  }
}

}  // namespace iree_pjrt
