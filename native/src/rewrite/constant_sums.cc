// SPDX-License-Identifier: Apache-2.0
// Reductions of what is computed from one number, as
// `jnp.exp(jnp.full(50, 2.))` is. IREE 3.11 puts the number into the body of
// the reduction, which then does not use its operand, and vectorizes it into a
// reduction of a part of the elements. It does not look through a barrier.
#include <algorithm>

#include "rewrite/generics.h"
#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

bool IsOneNumber(const Ir& ir, MlirValue tensor);

// Whether every element is the same computation, of constants.
bool ComputesOneNumber(const Ir& ir, MlirOperation generic) {
  for (MlirOperation op = ir.api.mlirBlockGetFirstOperation(ir.Body(generic));
       op.ptr; op = ir.api.mlirOperationGetNextInBlock(op)) {
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
         (IsGeneric(ir, op) && ComputesOneNumber(ir, op));
}

}  // namespace

void GuardConstantSums(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsReduction(ir, op)) continue;
    // The last operand is what the reduction starts from.
    const intptr_t inputs = ir.api.mlirOperationGetNumOperands(op) -
                            ir.api.mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < inputs; ++i) {
      const MlirValue operand = ir.api.mlirOperationGetOperand(op, i);
      const MlirOperation source = ir.DefinitionBeforeReshapes(operand);
      if (source.ptr && ir.Name(source) != "arith.constant" &&
          IsOneNumber(ir, operand)) {
        ir.PutBehindBarrier(operand);
      }
    }
  }
}

}  // namespace iree_pjrt
