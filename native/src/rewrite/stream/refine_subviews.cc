// SPDX-License-Identifier: Apache-2.0
// Slices that loops carry become views of a part of memory. IREE 3.11
// determines for every other value how its memory is used, and forgets these
// views ("illegal for this phase of lowering"). The pass gives a view the usage
// of its memory.
#include "rewrite/stream/passes.h"

namespace iree_pjrt {
namespace {

bool IsRefined(const Ir& ir, MlirType type) {
  return ir.Print(type) != "!stream.resource<*>";
}

}  // namespace

void RefineSubviews(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "stream.resource.subview") continue;
    const MlirType whole =
        ir.api.mlirValueGetType(ir.api.mlirOperationGetOperand(op, 0));
    const MlirValue view = ir.api.mlirOperationGetResult(op, 0);
    if (IsRefined(ir, whole)) ir.api.mlirValueSetType(view, whole);
  }
}

}  // namespace iree_pjrt
