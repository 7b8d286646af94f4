// SPDX-License-Identifier: Apache-2.0
// Barriers in front of what is written in place, such as those of FreeTargets.
// IREE (3.11, 3.13) decides by the other users of an array whether it may write
// into it, and a barrier hides these: who reads the array in front of it; that
// it is an argument or a constant, when what was between has gone (a
// transposition that was turned back, or computed by IREE). Then the caller's
// array changes, and the constant for all later calls. Barriers keep IREE from
// moving what is between into a dispatch; dispatches are formed here.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mlir/attributes.h"
#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

// Whether a result of the dispatch has the memory of this operand. The sizes by
// which it is divided among workers come before what it is given.
bool IsTied(const Ir& ir, MlirOperation dispatch, unsigned operand) {
  const MlirAttribute tied = ir.Attribute(dispatch, "tied_operands");
  if (!tied.ptr) return false;
  const int64_t sizes =
      ReadIntegers(ir, ir.Attribute(dispatch, "operandSegmentSizes")).at(0);
  for (intptr_t i = 0; i < ir.api.mlirArrayAttrGetNumElements(tied); ++i) {
    const int64_t given =
        ReadInteger(ir, ir.api.mlirArrayAttrGetElement(tied, i));
    if (given >= 0 && given + sizes == operand) return true;
  }
  return false;
}

// Whether something writes into the array, maybe in another shape.
bool IsWritten(const Ir& ir, MlirValue array) {
  return std::ranges::any_of(ir.Uses(array), [&](const auto& use) {
    const auto& [user, operand] = use;
    if (ir.IsReshape(user)) return IsWritten(ir, ir.Results(user)[0]);
    if (ir.Name(user) == "flow.dispatch") return IsTied(ir, user, operand);
    return ir.Name(user) == "flow.tensor.update" && operand == 0;
  });
}

}  // namespace

void BareTargets(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "util.optimization_barrier") continue;
    const std::vector<MlirValue> arrays = ir.Operands(op);
    const std::vector<MlirValue> hidden = ir.Results(op);
    bool used = false;
    bool bared = false;
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (IsWritten(ir, hidden[i])) {
        ir.api.mlirValueReplaceAllUsesOfWith(hidden[i], arrays[i]);
        bared = true;
      }
      used |= !ir.Uses(hidden[i]).empty();
    }
    if (bared && !used) ir.Replace(op, arrays);
  }
}

}  // namespace iree_pjrt
