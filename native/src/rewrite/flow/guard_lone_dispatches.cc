// SPDX-License-Identifier: Apache-2.0
// Dispatches without operands and with several results. If a program returns
// these results, IREE 3.11 returns the first one for each. A barrier hides
// them.
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
