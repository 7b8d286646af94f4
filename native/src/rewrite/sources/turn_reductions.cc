// SPDX-License-Identifier: Apache-2.0
// Reductions on GPUs. Each thread begins with the neutral element, which IREE
// (3.13) gets wrong for signed extremes (0 for the largest, -1 for the
// smallest) and for `and` of integers (1); of `total - term`, into which it
// turns sums of negated terms, it finds none ("failed to get neutral element").
// Of numbers with the sign bit flipped the extremes are unsigned ones, of
// complements `and` is `or`, and the negated total is a sum. The pass turns
// what the reduction begins with, its terms where that is not done, and back
// its result.
#include <array>
#include <string>
#include <string_view>

#include "mlir/generics.h"
#include "mlir/scalar_builder.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

enum class Turn { kFlipSign, kComplement, kNegateInteger, kNegateFloat };

struct Turned {
  std::string_view name;
  std::string_view into;
  Turn turn;
  bool turns_terms;
};

constexpr std::array<Turned, 5> kTurned = {{
    {"arith.maxsi", "arith.maxui", Turn::kFlipSign, true},
    {"arith.minsi", "arith.minui", Turn::kFlipSign, true},
    {"arith.andi", "arith.ori", Turn::kComplement, true},
    {"arith.subi", "arith.addi", Turn::kNegateInteger, false},
    {"arith.subf", "arith.addf", Turn::kNegateFloat, false},
}};

const Turned* TurnedFor(std::string_view name) {
  for (const Turned& each : kTurned) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

// The number turned, right before an operation.
MlirValue Apply(Turn turn, const ScalarBuilder& builder, MlirValue number,
                unsigned width) {
  switch (turn) {
    case Turn::kFlipSign: {
      const uint64_t sign = uint64_t{1} << (width - 1);
      return builder.Apply(
          "arith.xori", {number, builder.Constant("-" + std::to_string(sign))});
    }
    case Turn::kComplement:
      return builder.Apply("arith.xori", {number, builder.Constant(-1)});
    case Turn::kNegateInteger:
      return builder.Apply("arith.subi", {builder.Constant(0), number});
    case Turn::kNegateFloat:
      return builder.Apply("arith.negf", {number});
  }
  return number;
}

class TurnedReduction {
 public:
  // `reduction` has one result.
  TurnedReduction(const Ir& ir, MlirOperation reduction)
      : ir_(ir),
        reduction_(reduction),
        array_(ir.ResultTypes(reduction).at(0)),
        element_(ir.api.mlirShapedTypeGetElementType(array_)) {}

  void Run() {
    const MlirOperation combine = YieldedBy(ir_, reduction_);
    if (!combine.ptr) return;
    const Turned* turned = TurnedFor(ir_.Name(combine));
    if (!turned || !Combines(combine, *turned)) return;
    turn_ = turned->turn;
    if (ir_.api.mlirTypeIsAInteger(element_)) {
      width_ = ir_.api.mlirIntegerTypeGetWidth(element_);
      if (width_ == 1) return;  // its neutral elements are right
    }
    ReplaceCombiner(combine, *turned);
    const auto last =
        static_cast<intptr_t>(ir_.Operands(reduction_).size()) - 1;
    const MlirValue start = ir_.api.mlirOperationGetOperand(reduction_, last);
    ir_.api.mlirOperationSetOperand(reduction_, last,
                                    ElementsTurned(reduction_, start));
    const MlirValue result = ir_.Results(reduction_).at(0);
    const std::vector<Use> uses = ir_.Uses(result);
    const MlirOperation next = ir_.api.mlirOperationGetNextInBlock(reduction_);
    ir_.SetUses(uses, ElementsTurned(next, result));
  }

 private:
  MlirValue SoFar() const {
    const MlirBlock body = ir_.Body(reduction_);
    return ir_.api.mlirBlockGetArgument(
        body, ir_.api.mlirBlockGetNumArguments(body) - 1);
  }

  // Whether it combines the result so far with a term, and nothing else does.
  bool Combines(MlirOperation combine, const Turned& turned) const {
    const std::vector<MlirValue> operands = ir_.Operands(combine);
    const bool first = operands.at(0).ptr == SoFar().ptr;
    const bool second = turned.turns_terms && operands.at(1).ptr == SoFar().ptr;
    return first != second && ir_.Uses(SoFar()).size() == 1;
  }

  void ReplaceCombiner(MlirOperation combine, const Turned& turned) const {
    const ScalarBuilder builder(ir_, combine, element_);
    std::vector<MlirValue> operands = ir_.Operands(combine);
    for (MlirValue& operand : operands) {
      if (turned.turns_terms && operand.ptr != SoFar().ptr) {
        operand = Apply(turn_, builder, operand, width_);
      }
    }
    ir_.Replace(combine, {builder.Apply(turned.into, operands)});
  }

  // All elements of an array turned, right before an operation.
  MlirValue ElementsTurned(MlirOperation before, MlirValue array) const {
    const MlirOperation empty =
        ir_.CreateBefore(before, "tensor.empty", {}, {array_}, {});
    const LoopList all = AllLoops(ir_.api.mlirShapedTypeGetRank(array_));
    const MlirOperation generic = MakeGeneric(
        ir_, before, {array, ir_.Results(empty).at(0)}, {all, all}, {array_});
    const MlirBlock body = AddElementBody(ir_, generic);
    const MlirValue number = ir_.api.mlirBlockGetArgument(body, 0);
    const MlirOperation yield =
        ir_.AppendTo(body, ir_.api.mlirOperationGetLocation(before),
                     "linalg.yield", {number});
    const ScalarBuilder builder(ir_, yield, element_);
    ir_.api.mlirOperationSetOperand(yield, 0,
                                    Apply(turn_, builder, number, width_));
    return ir_.Results(generic).at(0);
  }

  const Ir& ir_;
  const MlirOperation reduction_;
  const MlirType array_;
  const MlirType element_;
  Turn turn_ = Turn::kFlipSign;
  unsigned width_ = 0;
};

}  // namespace

void TurnReductions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsReduction(ir, op) && ir.Results(op).size() == 1 &&
        ir.api.mlirShapedTypeHasStaticShape(ir.ResultTypes(op).at(0))) {
      TurnedReduction(ir, op).Run();
    }
  }
}

}  // namespace iree_pjrt
