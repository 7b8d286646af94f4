// SPDX-License-Identifier: Apache-2.0
// Barriers in front of what is written in place. What IREE moves over a barrier
// (a transposition, into the dispatch before it) makes other users read the
// array in front of it. IREE (3.13) does not see these when it decides whether
// it may write in place, and they read what was written. The pass puts the
// barrier where the array is computed, so that all users are behind it.
#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

// Whether nothing but the way to `last` uses the arrays, from `first` on.
bool IsAlone(const Ir& ir, MlirValue first, MlirValue last) {
  while (ir.Uses(last).size() == 1) {
    if (last.ptr == first.ptr) return true;
    last = ir.api.mlirOperationGetOperand(ir.Definition(last), 0);
  }
  return false;
}

}  // namespace

void ShareBarriers(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "util.optimization_barrier") continue;
    const MlirValue array = ir.api.mlirOperationGetOperand(op, 0);
    const MlirValue computed = ir.BeforeReshapes(array);
    const MlirOperation source = ir.Definition(computed);
    if (!source.ptr || ir.Name(source) != "flow.dispatch" ||
        ir.Uses(ir.Results(op).at(0)).empty() || IsAlone(ir, computed, array)) {
      continue;
    }
    ir.PutBehindBarrier(computed);
    ir.Replace(op, {ir.api.mlirOperationGetOperand(op, 0)});
  }
}

}  // namespace iree_pjrt
