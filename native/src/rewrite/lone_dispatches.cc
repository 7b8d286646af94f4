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
    const MlirOperation next = ir.api.mlirOperationGetNextInBlock(op);
    for (intptr_t i = 0; i < ir.api.mlirOperationGetNumResults(op); ++i) {
      const MlirValue result = ir.api.mlirOperationGetResult(op, i);
      const MlirOperation barrier =
          ir.CreateBefore(next, "util.optimization_barrier", {result},
                          {ir.api.mlirValueGetType(result)}, {});
      ir.api.mlirValueReplaceAllUsesOfWith(
          result, ir.api.mlirOperationGetResult(barrier, 0));
      ir.api.mlirOperationSetOperand(barrier, 0, result);
    }
  }
}

}  // namespace iree_pjrt
