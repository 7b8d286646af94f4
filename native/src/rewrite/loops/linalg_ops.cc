// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/linalg_ops.h"

#include <algorithm>
#include <string>

#include "mlir/generics.h"
#include "rewrite/loops/loop_order.h"
#include "rewrite/loops/tensor_ops.h"

namespace iree_pjrt {
namespace {

class LinalgOp {
 public:
  LinalgOp(const Ir& ir, TensorMemory& memory, MlirOperation op)
      : ir_(ir),
        memory_(memory),
        buffers_(memory.buffers()),
        op_(op),
        operands_(ir.Operands(op)),
        results_(ir.Results(op)),
        inputs_(operands_.size() - results_.size()) {}

  void Put(const LoopBody* body) {
    PutLoopAlongMemoryInside(ir_, op_);
    std::vector<MlirValue> operands = operands_;
    std::vector<View> targets;
    for (size_t i = 0; i < results_.size(); ++i) {
      targets.push_back(Target(i, body));
      operands[inputs_ + i] = buffers_.Memref(targets[i], op_);
    }
    for (size_t i = 0; i < inputs_; ++i) {
      if (ir_.IsArray(operands[i])) {
        operands[i] = buffers_.Memref(memory_.ViewOf(operands[i]), op_);
      }
    }
    PutScalars(ir_.Body(memory_.Renewed(op_, operands)));
    for (size_t i = 0; i < results_.size(); ++i) {
      memory_.Bind(results_[i], targets[i]);
    }
  }

 private:
  MlirType TypeOf(MlirValue value) const {
    return ir_.api.mlirValueGetType(value);
  }

  // Where the i-th result is written; holds what is read there.
  View Target(size_t i, const LoopBody* body) {
    const MlirBlock home = memory_.uses().BlockOf(op_);
    if (ReadsTarget(i)) {
      return memory_.Taken(op_, static_cast<unsigned>(inputs_ + i), home);
    }
    if (const View* const target = YieldTarget(results_[i], body)) {
      return buffers_.InAnotherRole(*target, {nullptr});
    }
    return buffers_.Allocate(TypeOf(results_[i]), home);
  }

  // Whether something of what was in the target stays, or is computed with.
  bool ReadsTarget(size_t i) const {
    if (ir_.Name(op_) == "linalg.fill") return false;
    if (!IsGeneric(ir_, op_)) return true;
    const auto map = IndexingMaps(ir_, op_).at(inputs_ + i);
    if (std::ranges::count(map, kNoLoop) > 0) return true;
    const MlirValue old = ir_.api.mlirBlockGetArgument(
        ir_.Body(op_), static_cast<intptr_t>(inputs_ + i));
    return !memory_.uses().Of(old).empty();
  }

  // What the loop carries into the next turn, if the result goes there and
  // nowhere else and no one needs any more what is there now.
  const View* YieldTarget(MlirValue result, const LoopBody* body) const {
    const FrozenUses& uses = memory_.uses();
    const std::vector<Use>& of_result = uses.Of(result);
    if (!body || of_result.size() != 1 || !IsGeneric(ir_, op_) ||
        IsReduction(ir_, op_) || uses.BlockOf(op_).ptr != body->block.ptr) {
      return nullptr;
    }
    const Use& use = of_result[0];
    if (uses.BlockOf(use.user).ptr != body->block.ptr ||
        ir_.Name(use.user) != "scf.yield") {
      return nullptr;
    }
    const View& target = body->targets.at(use.operand);
    return memory_.IsGivenUp(target, op_) ? &target : nullptr;
  }

  // The computation for each element.
  void PutScalars(MlirBlock body) {
    MlirOperation next{nullptr};
    for (MlirOperation op = ir_.api.mlirBlockGetFirstOperation(body); op.ptr;
         op = next) {
      next = ir_.api.mlirOperationGetNextInBlock(op);
      if (ir_.Name(op) == "tensor.extract") {
        PutTensorOp(ir_, memory_, op);
      } else if (!IsOfScalars(op)) {
        throw LoopRefused{std::string(ir_.Name(op)) + " for each element"};
      }
    }
    StoreBytes(body);
  }

  bool IsOfScalars(MlirOperation op) const {
    const auto array = [this](MlirValue value) { return ir_.IsArray(value); };
    return std::ranges::none_of(ir_.Operands(op), array) &&
           std::ranges::none_of(ir_.Results(op), array) &&
           ir_.api.mlirOperationGetNumRegions(op) == 0;
  }

  // Bits are computed with, and bytes are in memory.
  void StoreBytes(MlirBlock body) {
    const MlirOperation first = ir_.api.mlirBlockGetFirstOperation(body);
    for (size_t i = 0; i < operands_.size(); ++i) {
      const MlirValue element =
          ir_.api.mlirBlockGetArgument(body, static_cast<intptr_t>(i));
      const MlirType type = TypeOf(element);
      if (!ir_.IsArray(operands_[i]) || ir_.Print(type) != "i1") continue;
      const std::vector<Use> uses = ir_.Uses(element);
      ir_.api.mlirValueSetType(element, ir_.ParseType("i8"));
      if (uses.empty()) continue;
      ir_.SetUses(uses, buffers_.Element(element, type, first));
    }
    const MlirOperation yield = ir_.Terminator(body);
    const std::vector<MlirValue> yielded = ir_.Operands(yield);
    for (size_t i = 0; i < yielded.size(); ++i) {
      ir_.api.mlirOperationSetOperand(yield, static_cast<intptr_t>(i),
                                      buffers_.Stored(yielded[i], yield));
    }
  }

  const Ir& ir_;
  TensorMemory& memory_;
  Buffers& buffers_;
  const MlirOperation op_;
  const std::vector<MlirValue> operands_;
  const std::vector<MlirValue> results_;
  const size_t inputs_;
};

}  // namespace

void PutLinalgOp(const Ir& ir, TensorMemory& memory, MlirOperation op,
                 const LoopBody* body) {
  LinalgOp(ir, memory, op).Put(body);
}

}  // namespace iree_pjrt
