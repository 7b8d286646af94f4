// SPDX-License-Identifier: Apache-2.0
// Reductions whose terms are all one number (`jnp.exp(jnp.full(50, 2.)).sum()`,
// `jnp.sum(~x ^ x)`). IREE 3.11 finds that out when it fuses. It then
// vectorizes the reduction without counting how many elements a vector stands
// for, and leaves elements out. IREE does not vectorize a reduction with a
// barrier in its body. The pass also drops inputs that the reduction no longer
// reads: IREE would put them on the stack.
#include <algorithm>

#include "mlir/generics.h"
#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

// The body of a reduction: its arguments are inputs, then what is reduced into.
class Terms {
 public:
  Terms(const Ir& ir, MlirOperation reduction)
      : ir_(ir),
        reduction_(reduction),
        body_(ir.Body(reduction)),
        inputs_(ir.api.mlirBlockGetNumArguments(body_) -
                ir.api.mlirOperationGetNumResults(reduction)) {}

  void Guard() const {
    if (PutBehindBarriers()) DropUnread();
  }

 private:
  bool PutBehindBarriers() const {
    bool any = false;
    for (MlirOperation op = ir_.api.mlirBlockGetFirstOperation(body_); op.ptr;
         op = ir_.api.mlirOperationGetNextInBlock(op)) {
      const std::vector<MlirValue> operands = ir_.Operands(op);
      if (ir_.ResultTypes(op).size() != 1 ||
          std::none_of(operands.begin(), operands.end(),
                       [&](MlirValue value) { return IsReducedInto(value); })) {
        continue;
      }
      for (size_t i = 0; i < operands.size(); ++i) {
        if (!IsReducedInto(operands[i]) && IsOneNumber(operands[i])) {
          ir_.api.mlirOperationSetOperand(op, static_cast<intptr_t>(i),
                                          ir_.Barrier(op, operands[i]));
          any = true;
        }
      }
    }
    return any;
  }

  // Drops inputs that the body no longer reads: only their shape counted.
  void DropUnread() const {
    for (intptr_t i = 0; i < inputs_; ++i) {
      const MlirValue argument = ir_.api.mlirBlockGetArgument(body_, i);
      if (ir_.api.mlirValueGetFirstUse(argument).ptr) continue;
      const MlirType type = ir_.api.mlirValueGetType(
          ir_.api.mlirOperationGetOperand(reduction_, i));
      if (!ir_.api.mlirTypeIsAShaped(type) ||
          !ir_.api.mlirShapedTypeHasStaticShape(type)) {
        continue;
      }
      const MlirOperation empty =
          ir_.CreateBefore(reduction_, "tensor.empty", {}, {type}, {});
      ir_.api.mlirOperationSetOperand(reduction_, i,
                                      ir_.api.mlirOperationGetResult(empty, 0));
    }
  }

  bool IsReducedInto(MlirValue value) const {
    const intptr_t n = ir_.api.mlirBlockGetNumArguments(body_);
    for (intptr_t i = inputs_; i < n; ++i) {
      if (ir_.api.mlirBlockGetArgument(body_, i).ptr == value.ptr) return true;
    }
    return false;
  }

  // Whether the value is the same for every element.
  bool IsOneNumber(MlirValue value) const {
    const MlirOperation op = ir_.Definition(value);
    if (!op.ptr) return false;
    if (ir_.api.mlirOperationGetBlock(op).ptr != body_.ptr) return true;
    const std::string_view name = ir_.Name(op);
    if (name == "linalg.index" || name == "tensor.extract") return false;
    const std::vector<MlirValue> operands = ir_.Operands(op);
    return std::all_of(operands.begin(), operands.end(),
                       [&](MlirValue operand) { return IsOneNumber(operand); });
  }

  const Ir& ir_;
  const MlirOperation reduction_;
  MlirBlock body_;
  intptr_t inputs_;
};

}  // namespace

void GuardConstantTerms(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsReduction(ir, op)) Terms(ir, op).Guard();
  }
}

}  // namespace iree_pjrt
