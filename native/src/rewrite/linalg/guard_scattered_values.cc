// SPDX-License-Identifier: Apache-2.0
// Scatters for GPUs. IREE (3.13) fuses what computes their updates or indices
// with them, as where bfloat16 is added to float32, and then refuses ("failed
// to apply fusion + hoisting patterns"). The pass puts a barrier between them.
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {

void GuardScatteredValues(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "iree_linalg_ext.scatter") continue;
    for (intptr_t i = 0; i < 2; ++i) {  // updates, indices
      const MlirValue value = ir.api.mlirOperationGetOperand(op, i);
      if (!ir.DefinitionBeforeReshapes(value).ptr) continue;
      ir.api.mlirOperationSetOperand(op, i, ir.Barrier(op, value));
    }
  }
}

}  // namespace iree_pjrt
