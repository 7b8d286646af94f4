// SPDX-License-Identifier: Apache-2.0
// Memory lives as long as something refers to it. IREE deallocates what its
// count of references says is no longer used, and a conditional that hands on
// a value counts as one reference although the value has another name: the
// memory is gone before its last reader. Since 3.13 that reader fails on CPUs
// ("transient buffer has not been committed"); before, deallocations did
// nothing there.
#include "rewrite/stream/passes.h"
#include "rewrite/stream/timepoints.h"

namespace iree_pjrt {

void DropDeallocations(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "stream.resource.dealloca") continue;
    // The operands: the resource, its size and, if it has to wait, for what.
    ir.Replace(op, {AwaitedBy(ir, op, 2)});
  }
}

}  // namespace iree_pjrt
