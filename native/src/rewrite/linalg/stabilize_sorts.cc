// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 sorts by swapping neighbours, and swaps them unless the comparison
// says that the first belongs before the second. Equal elements therefore
// change places. The pass inverts the comparison to "the second does not belong
// before the first". Equal elements then stay where they are, and the sort is
// stable.
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

void Swap(const Ir& ir, MlirOperation first, MlirValue a, MlirValue b) {
  const MlirOperation stand_in =
      ir.CreateBefore(first, "builtin.unrealized_conversion_cast", {},
                      {ir.api.mlirValueGetType(a)}, {});
  const MlirValue between = ir.api.mlirOperationGetResult(stand_in, 0);
  ir.api.mlirValueReplaceAllUsesOfWith(a, between);
  ir.api.mlirValueReplaceAllUsesOfWith(b, a);
  ir.api.mlirValueReplaceAllUsesOfWith(between, b);
  ir.api.mlirOperationDestroy(stand_in);
}

}  // namespace

void StabilizeSorts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "iree_linalg_ext.sort") continue;
    const MlirBlock body = ir.Body(op);
    const MlirOperation end = ir.Terminator(body);
    for (intptr_t i = 0; i < ir.api.mlirBlockGetNumArguments(body); i += 2) {
      Swap(ir, ir.api.mlirBlockGetFirstOperation(body),
           ir.api.mlirBlockGetArgument(body, i),
           ir.api.mlirBlockGetArgument(body, i + 1));
    }
    const MlirType i1 = ir.api.mlirIntegerTypeGet(ir.context, 1);
    const MlirOperation yes = ir.CreateBefore(
        end, "arith.constant", {}, {i1}, {ir.Named("value", ir.Parse("true"))});
    const MlirOperation turned =
        ir.CreateBefore(end, "arith.xori",
                        {ir.api.mlirOperationGetOperand(end, 0),
                         ir.api.mlirOperationGetResult(yes, 0)},
                        {i1}, {});
    ir.api.mlirOperationSetOperand(end, 0,
                                   ir.api.mlirOperationGetResult(turned, 0));
  }
}

}  // namespace iree_pjrt
