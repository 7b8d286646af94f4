// SPDX-License-Identifier: Apache-2.0
// A dispatch without operands and with several results: where they are returned
// IREE 3.11 takes the first one for each. What goes through a barrier is not
// looked at.
#include "rewrite/rewrites.h"

namespace iree_pjrt {

void GuardLoneDispatches(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "flow.dispatch" ||
        ir.api.mlirOperationGetNumOperands(op) > 0 ||
        ir.api.mlirOperationGetNumResults(op) < 2) {
      continue;
    }
    for (intptr_t i = 0; i < ir.api.mlirOperationGetNumResults(op); ++i) {
      ir.PutBehindBarrier(ir.api.mlirOperationGetResult(op, i));
    }
  }
}

}  // namespace iree_pjrt
