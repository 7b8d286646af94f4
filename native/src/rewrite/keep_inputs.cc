// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 takes the last use of an input as leave to write into its buffer (a
// scatter into an argument changes the caller's array). A use right before the
// return that no pass removes keeps every input whole: IREE then copies where,
// and only where, it would have written.
#include "rewrite/rewrites.h"
#include "status.h"

namespace iree_pjrt {

void KeepInputs(const Ir& ir) {
  const MlirOperation main = ir.Function("main");
  if (!main.ptr) ThrowInternal("the function 'main' is gone");
  const MlirBlock body =
      ir.api.mlirRegionGetFirstBlock(ir.api.mlirOperationGetFirstRegion(main));
  const MlirOperation end = ir.Terminator(body);
  for (intptr_t i = 0; i < ir.api.mlirBlockGetNumArguments(body); ++i) {
    const MlirValue input = ir.api.mlirBlockGetArgument(body, i);
    ir.CreateBefore(end, "util.optimization_barrier", {input},
                    {ir.api.mlirValueGetType(input)}, {});
  }
}

}  // namespace iree_pjrt
