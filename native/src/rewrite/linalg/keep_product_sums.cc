// SPDX-License-Identifier: Apache-2.0
// Sums of products. IREE 3.11 fuses the product into the sum, takes the two
// together for a contraction, and makes scalar code of it: 3 to 7 times slower.
// The pass adds a zero to each product, which keeps the two apart: no pass may
// remove that zero, because of the negative zero.
#include "mlir/generics.h"
#include "mlir/scalar_builder.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Whether a tensor is a product, maybe reshaped.
bool IsProduct(const Ir& ir, MlirValue tensor) {
  const MlirOperation yielded =
      YieldedBy(ir, ir.DefinitionBeforeReshapes(tensor));
  return yielded.ptr && ir.Name(yielded) == "arith.mulf";
}

// The operand of `sum` that is the input of a generic with one input and one
// output; -1 if there is none.
intptr_t InputOf(const Ir& ir, MlirOperation generic, MlirOperation sum) {
  const MlirBlock body = ir.Body(generic);
  if (ir.api.mlirBlockGetNumArguments(body) != 2) return -1;
  const MlirValue input = ir.api.mlirBlockGetArgument(body, 0);
  for (intptr_t i = 0; i < 2; ++i) {
    if (ir.api.mlirOperationGetOperand(sum, i).ptr == input.ptr) return i;
  }
  return -1;
}

}  // namespace

void KeepProductSums(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsReduction(ir, op)) continue;
    const MlirOperation sum = YieldedBy(ir, op);
    if (!sum.ptr || ir.Name(sum) != "arith.addf") continue;
    const intptr_t i = InputOf(ir, op, sum);
    if (i < 0 || !IsProduct(ir, ir.api.mlirOperationGetOperand(op, 0))) {
      continue;
    }
    const MlirValue product = ir.api.mlirOperationGetOperand(sum, i);
    const ScalarBuilder b(ir, sum);
    ir.api.mlirOperationSetOperand(
        sum, i, b.Apply("arith.addf", {product, b.Constant("0.0")}));
  }
}

}  // namespace iree_pjrt
