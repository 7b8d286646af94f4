// SPDX-License-Identifier: Apache-2.0
#include "mlir/generics.h"

namespace iree_pjrt {

bool IsGeneric(const Ir& ir, MlirOperation op) {
  return op.ptr && ir.Name(op) == "linalg.generic";
}

bool IsReduction(const Ir& ir, MlirOperation op) {
  return IsGeneric(ir, op) &&
         ir.Print(ir.Attribute(op, "iterator_types")).find("reduction") !=
             std::string::npos;
}

MlirOperation YieldedBy(const Ir& ir, MlirOperation op) {
  if (!IsGeneric(ir, op)) return {nullptr};
  const MlirOperation end = ir.Terminator(ir.Body(op));
  if (ir.api.mlirOperationGetNumOperands(end) != 1) return {nullptr};
  return ir.Definition(ir.api.mlirOperationGetOperand(end, 0));
}

}  // namespace iree_pjrt
