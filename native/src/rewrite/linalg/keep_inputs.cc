// SPDX-License-Identifier: Apache-2.0
// Inputs stay as they are. IREE 3.11 writes into the buffer of an input at the
// last use of the input: a scatter into an argument changes the caller's array.
// The pass adds a use right before the return, which no later pass removes.
// IREE then copies the input exactly where it would have written into it.
//
// IREE may write into donated inputs, unless the function may return them
// unchanged: IREE does not count the return as a use. The pass removes JAX's
// attribute that pairs an output with a donated input: IREE reads it as an
// order to copy the finished output over the input.
#include <unordered_map>
#include <unordered_set>

#include "base/status.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Values that the function may return unchanged: the operands of its return,
// and the values from which they come through reshapes (of one operand) and
// control flow.
class Returned {
 public:
  Returned(const Ir& ir, MlirOperation end) : ir_(ir) {
    for (MlirOperation op : ir.AllOperations()) {
      const bool yields =
          ir.Name(op) == "scf.yield" || ir.Name(op) == "scf.condition";
      for (MlirValue value : ir.Operands(op)) {
        if (yields) yielded_.push_back(value);
      }
      for (intptr_t i = 0; i < ir.api.mlirOperationGetNumResults(op); ++i) {
        definitions_[ir.api.mlirOperationGetResult(op, i).ptr] = op;
      }
    }
    for (MlirValue value : ir.Operands(end)) Visit(value);
  }

  bool Has(MlirValue value) const { return seen_.contains(value.ptr); }

 private:
  void Visit(MlirValue value) {
    if (!seen_.insert(value.ptr).second) return;
    const auto definition = definitions_.find(value.ptr);
    if (definition == definitions_.end()) return;
    const std::vector<MlirValue> operands = ir_.Operands(definition->second);
    const bool control = ir_.Name(definition->second).starts_with("scf.");
    if (!control && operands.size() != 1) return;
    for (MlirValue operand : operands) Visit(operand);
    if (!control) return;
    for (MlirValue operand : yielded_) Visit(operand);
  }

  const Ir& ir_;
  std::unordered_map<const void*, MlirOperation> definitions_;
  std::vector<MlirValue> yielded_;
  std::unordered_set<const void*> seen_;
};

}  // namespace

void KeepInputs(const Ir& ir, const std::vector<bool>& donatable) {
  const MlirOperation main = ir.Function("main");
  if (!main.ptr) ThrowInternal("the function 'main' is gone");
  ir.RemoveAttribute(main, "arg_attrs");
  const MlirBlock body = ir.Body(main);
  const MlirOperation end = ir.Terminator(body);
  const Returned returned(ir, end);
  for (intptr_t i = 0; i < ir.api.mlirBlockGetNumArguments(body); ++i) {
    const MlirValue input = ir.api.mlirBlockGetArgument(body, i);
    if (donatable.at(static_cast<size_t>(i)) && !returned.Has(input)) continue;
    ir.Barrier(end, input);
  }
}

}  // namespace iree_pjrt
