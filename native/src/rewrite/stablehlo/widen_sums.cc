// SPDX-License-Identifier: Apache-2.0
// Sums of floats of at most 16 bits. IREE 3.11 rounds after each term: in
// bfloat16, 256 ones and one more are 256. As XLA does, the pass computes
// products, convolutions, reductions and windows of them in float32, and rounds
// once.
#include <algorithm>
#include <array>

#include "mlir/retype.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 6> kNarrow = {
    "bf16", "f16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};

bool IsOneOf(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

// `tensor<4xbf16>` -> `tensor<4xf32>`, in either dialect.
std::string Widened(std::string type) {
  for (const std::string_view name : kNarrow) {
    for (size_t at = 0; (at = type.find(name, at)) != std::string::npos; ++at) {
      const size_t end = at + name.size();
      if (at > 0 && end < type.size() && IsOneOf(type[at - 1], "x<.") &&
          IsOneOf(type[end], ">_")) {
        type.replace(at, name.size(), "f32");
      }
    }
  }
  return type;
}

class Widening {
 public:
  Widening(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        convert_(StablehloNameLike(ir.Name(op), "convert")),
        retyper_(ir, Widened) {}

  // Users of a result get it rounded.
  void RoundResults() {
    const MlirOperation next = ir_.api.mlirOperationGetNextInBlock(op_);
    for (const MlirValue result : ir_.Results(op_)) {
      const MlirType type = ir_.api.mlirValueGetType(result);
      const MlirType wide = ir_.ParseType(Widened(ir_.Print(type)));
      if (ir_.api.mlirTypeEqual(type, wide)) continue;
      RetypeBehindCast(ir_, result, wide, convert_, next);
    }
  }

  void WidenOperands() {
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumOperands(op_); ++i) {
      const MlirValue operand = ir_.api.mlirOperationGetOperand(op_, i);
      const MlirType type = ir_.api.mlirValueGetType(operand);
      const MlirType wide = ir_.ParseType(Widened(ir_.Print(type)));
      if (ir_.api.mlirTypeEqual(type, wide)) continue;
      const MlirOperation converted =
          ir_.CreateBefore(op_, convert_, {operand}, {wide}, {});
      ir_.api.mlirOperationSetOperand(
          op_, i, ir_.api.mlirOperationGetResult(converted, 0));
    }
  }

  void WidenBody() {
    const MlirBlock body = ir_.Body(op_);
    retyper_.Retype(op_);
    for (MlirOperation inner = ir_.api.mlirBlockGetFirstOperation(body);
         inner.ptr; inner = ir_.api.mlirOperationGetNextInBlock(inner)) {
      retyper_.Retype(inner);
    }
  }

 private:
  const Ir& ir_;
  const MlirOperation op_;
  const std::string convert_;
  Retyper retyper_;
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
      Widening(ir, op).RoundResults();
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
