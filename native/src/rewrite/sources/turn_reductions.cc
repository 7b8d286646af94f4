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

class TurnedReduction {
 public:
  // `reduction` has one result, which is of one type with what it begins with.
  TurnedReduction(const Ir& ir, MlirOperation reduction, const Turned& turned)
      : ir_(ir),
        reduction_(reduction),
        turned_(turned),
        array_(ir.ResultTypes(reduction).at(0)),
        element_(ir.api.mlirShapedTypeGetElementType(array_)) {}

  void Run(MlirOperation combine) const {
    if (!Combines(combine) || IsOfBits()) return;
    ReplaceCombiner(combine);
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
  bool Combines(MlirOperation combine) const {
    const std::vector<MlirValue> operands = ir_.Operands(combine);
    const bool first = operands.at(0).ptr == SoFar().ptr;
    const bool second =
        turned_.turns_terms && operands.at(1).ptr == SoFar().ptr;
    return first != second && ir_.Uses(SoFar()).size() == 1;
  }

  // Of single bits IREE's neutral elements are right.
  bool IsOfBits() const {
    return ir_.api.mlirTypeIsAInteger(element_) &&
           ir_.api.mlirIntegerTypeGetWidth(element_) == 1;
  }

  void ReplaceCombiner(MlirOperation combine) const {
    std::vector<MlirValue> operands = ir_.Operands(combine);
    for (MlirValue& operand : operands) {
      if (turned_.turns_terms && operand.ptr != SoFar().ptr) {
        operand = NumberTurned(combine, operand);
      }
    }
    const ScalarBuilder builder(ir_, combine, element_);
    ir_.Replace(combine, {builder.Apply(turned_.into, operands)});
  }

  // All elements of an array turned, right before an operation.
  MlirValue ElementsTurned(MlirOperation before, MlirValue array) const {
    const MlirOperation empty =
        ir_.CreateBefore(before, "tensor.empty", {}, {array_}, {});
    const MlirOperation generic =
        MakeElementwise(ir_, before, "", array, ir_.Results(empty).at(0));
    const MlirOperation yield = ir_.Terminator(ir_.Body(generic));
    const MlirValue number = ir_.api.mlirOperationGetOperand(yield, 0);
    ir_.api.mlirOperationSetOperand(yield, 0, NumberTurned(yield, number));
    return ir_.Results(generic).at(0);
  }

  MlirValue NumberTurned(MlirOperation before, MlirValue number) const {
    const ScalarBuilder builder(ir_, before, element_);
    switch (turned_.turn) {
      case Turn::kFlipSign: {
        const uint64_t sign =
            uint64_t{1} << (ir_.api.mlirIntegerTypeGetWidth(element_) - 1);
        return builder.Apply(
            "arith.xori",
            {number, builder.Constant("-" + std::to_string(sign))});
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

  const Ir& ir_;
  const MlirOperation reduction_;
  const Turned& turned_;
  const MlirType array_;
  const MlirType element_;
};

}  // namespace

void TurnReductions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsReduction(ir, op)) continue;
    const MlirOperation combine = YieldedBy(ir, op);
    const Turned* turned = combine.ptr ? TurnedFor(ir.Name(combine)) : nullptr;
    if (turned &&
        ir.api.mlirShapedTypeHasStaticShape(ir.ResultTypes(op).at(0))) {
      TurnedReduction(ir, op, *turned).Run(combine);
    }
  }
}

}  // namespace iree_pjrt
