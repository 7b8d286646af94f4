// SPDX-License-Identifier: Apache-2.0
// What IREE (say which version) does wrong, and what is done instead. Here:
// nothing is wrong, and conversions to the type that a value has are removed.
#include "rewrite/null/null_pass.h"

#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

// Whether the pass concerns the operation.
bool IsConcerned(const Ir& ir, MlirOperation op) {
  if (StablehloName(ir.Name(op)) != "convert") return false;
  const MlirValue operand = ir.api.mlirOperationGetOperand(op, 0);
  return ir.api.mlirTypeEqual(ir.api.mlirValueGetType(operand),
                              ir.ResultTypes(op).at(0));
}

}  // namespace

void NullPass(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsConcerned(ir, op)) ir.Replace(op, ir.Operands(op));
  }
}

}  // namespace iree_pjrt
