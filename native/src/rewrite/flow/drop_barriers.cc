// SPDX-License-Identifier: Apache-2.0
// Barriers that have done their part: they kept IREE from moving what is behind
// them into the dispatch in front, and dispatches are formed by now. Two kinds
// harm from here on.
//
// At a barrier between two dispatches the host waits for the first (IREE 3.11,
// 3.13), and then submits the second: most of the time of a small program.
//
// IREE decides by the other users of an array whether it may write into it, and
// a barrier hides these: who reads the array in front of it; that it is an
// argument or a constant, when what was between has gone (a transposition that
// was turned back, or computed by IREE). Then the caller's array changes, and
// the constant for all later calls.
#include <algorithm>
#include <vector>

#include "mlir/tied_operands.h"
#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

// Whether something writes into the array, maybe in another shape.
bool IsWritten(const Ir& ir, MlirValue array) {
  return std::ranges::any_of(ir.Uses(array), [&](const auto& use) {
    const auto& [user, operand] = use;
    if (ir.IsReshape(user)) return IsWritten(ir, ir.Results(user)[0]);
    if (ir.Name(user) == "flow.dispatch") {
      const auto tied = TiedOperands(ir, user);
      return std::ranges::find(tied, operand) != tied.end();
    }
    return ir.Name(user) == "flow.tensor.update" && operand == 0;
  });
}

// Whether the array is computed, or read where it lies: there is a value of its
// own behind the barrier without the barrier as well.
bool IsOwn(const Ir& ir, MlirValue array) {
  const MlirOperation made = ir.DefinitionBeforeReshapes(array);
  if (!made.ptr) return false;
  if (ir.Name(made) == "flow.dispatch") return true;
  // For IREE a slice is a view. Of what is written it has to be a copy.
  return ir.Name(made) == "flow.tensor.slice" &&
         !IsWritten(ir, ir.BeforeReshapes(ir.Operands(made)[0]));
}

}  // namespace

void DropBarriers(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "util.optimization_barrier") continue;
    const std::vector<MlirValue> arrays = ir.Operands(op);
    const std::vector<MlirValue> hidden = ir.Results(op);
    bool used = false;
    bool bared = false;
    for (size_t i = 0; i < arrays.size(); ++i) {
      // One that nobody uses is a use itself, at the end of a block.
      if (ir.Uses(hidden[i]).empty()) continue;
      if (IsWritten(ir, hidden[i]) || IsOwn(ir, arrays[i])) {
        ir.api.mlirValueReplaceAllUsesOfWith(hidden[i], arrays[i]);
        bared = true;
      }
      used |= !ir.Uses(hidden[i]).empty();
    }
    if (bared && !used) ir.Replace(op, arrays);
  }
}

}  // namespace iree_pjrt
