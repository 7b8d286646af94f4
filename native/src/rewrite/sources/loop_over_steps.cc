// SPDX-License-Identifier: Apache-2.0
// Copies of elements with steps between them: every other column. IREE (3.11,
// 3.13) copies them one by one, on one core. The pass makes an elementwise loop
// of the copy, which is shared among cores, and which TakeInLoops leaves to
// LLVM.
#include "mlir/generics.h"
#include "mlir/memory_type.h"
#include "mlir/slices.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {

void LoopOverSteps(const Ir& ir) {
  for (const MlirOperation store : ir.AllOperations()) {
    if (!IsStore(ir, store)) continue;
    const MlirValue elements = ir.Operands(store)[0];
    const MlirOperation load = ir.Definition(elements);
    if (!IsLoad(ir, load) || !StepsAlongRows(ir, load)) continue;
    const MlirOperation target = ir.CreateBefore(
        store, "tensor.empty", {}, {ir.api.mlirValueGetType(elements)}, {});
    const MlirOperation copy =
        MakeElementwise(ir, store, "", elements, ir.Results(target)[0]);
    ir.api.mlirOperationSetOperand(store, 0, ir.Results(copy)[0]);
  }
}

}  // namespace iree_pjrt
