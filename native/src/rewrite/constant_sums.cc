// SPDX-License-Identifier: Apache-2.0
// Reductions of what is computed from one number, as
// `jnp.exp(jnp.full(50, 2.))` is. IREE 3.11 puts the number into the body of
// the reduction, which then does not use its operand, and vectorizes it into a
// reduction of a part of the elements. It does not look through a barrier.
#include <algorithm>

#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

bool IsOneNumber(const Ir& ir, MlirValue tensor);

// Whether every element is the same computation, of constants.
bool ComputesOneNumber(const Ir& ir, MlirOperation generic) {
  const MlirBlock body = ir.api.mlirRegionGetFirstBlock(
      ir.api.mlirOperationGetFirstRegion(generic));
  for (MlirOperation op = ir.api.mlirBlockGetFirstOperation(body); op.ptr;
       op = ir.api.mlirOperationGetNextInBlock(op)) {
    const std::string_view name = ir.Name(op);
    if (name == "linalg.index" || name == "tensor.extract") return false;
  }
  const std::vector<MlirValue> operands = ir.Operands(generic);
  return std::all_of(operands.begin(), operands.end(), [&](MlirValue operand) {
    return IsOneNumber(ir, operand);
  });
}

bool IsOneNumber(const Ir& ir, MlirValue tensor) {
  const MlirOperation op = ir.DefinitionBeforeReshapes(tensor);
  if (!op.ptr) return false;
  const std::string_view name = ir.Name(op);
  if (name == "arith.constant") {
    const MlirAttribute value = ir.Attribute(op, "value");
    return !ir.api.mlirAttributeIsADenseElements(value) ||
           ir.api.mlirDenseElementsAttrIsSplat(value);
  }
  if (name == "linalg.fill" || name == "linalg.broadcast") {
    return IsOneNumber(ir, ir.api.mlirOperationGetOperand(op, 0));
  }
  return name == "tensor.empty" ||
         (name == "linalg.generic" && ComputesOneNumber(ir, op));
}

}  // namespace

void GuardConstantSums(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "linalg.generic" ||
        ir.Print(ir.Attribute(op, "iterator_types")).find("reduction") ==
            std::string::npos) {
      continue;
    }
    // The last operand is what the reduction starts from.
    const intptr_t inputs = ir.api.mlirOperationGetNumOperands(op) -
                            ir.api.mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < inputs; ++i) {
      const MlirValue operand = ir.api.mlirOperationGetOperand(op, i);
      if (!IsOneNumber(ir, operand)) continue;
      const MlirOperation barrier =
          ir.CreateBefore(op, "util.optimization_barrier", {operand},
                          {ir.api.mlirValueGetType(operand)}, {});
      ir.api.mlirOperationSetOperand(op, i,
                                     ir.api.mlirOperationGetResult(barrier, 0));
    }
  }
}

}  // namespace iree_pjrt
