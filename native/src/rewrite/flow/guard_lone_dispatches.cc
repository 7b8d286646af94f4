// SPDX-License-Identifier: Apache-2.0
// A dispatch without operands and with several results: where they are returned
// IREE 3.11 takes the first one for each. What goes through a barrier is not
// looked at.
#include "rewrite/flow/passes.h"

namespace iree_pjrt {

void GuardLoneDispatches(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "flow.dispatch" ||
        ir.api.mlirOperationGetNumOperands(op) > 0 ||
        ir.api.mlirOperationGetNumResults(op) < 2) {
      continue;
    }
    for (const MlirValue result : ir.Results(op)) ir.PutBehindBarrier(result);
  }
}

}  // namespace iree_pjrt
