// SPDX-License-Identifier: Apache-2.0
// `any`, `all` and parities of booleans, which are bytes in memory. IREE (3.11,
// 3.13) reduces single bits between two conversions, which its vectorizer does
// not take for a reduction: scalar code, several times as slow. The pass
// reduces the bytes.
#include <array>
#include <string_view>
#include <vector>

#include "mlir/attributes.h"
#include "mlir/generics.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

bool Is(const Ir& ir, MlirOperation op, std::string_view name) {
  return op.ptr && ir.Name(op) == name;
}

bool CombinesBits(const Ir& ir, MlirOperation op) {
  return Is(ir, op, "arith.ori") || Is(ir, op, "arith.andi") ||
         Is(ir, op, "arith.xori");
}

// Whether the array is filled with 0 or 1 to begin with: its bytes have one
// bit.
bool StartsWithBits(const Ir& ir, MlirValue array) {
  const MlirOperation fill = ir.Definition(array);
  if (!Is(ir, fill, "linalg.fill")) return false;
  const MlirOperation constant =
      ir.Definition(ir.api.mlirOperationGetOperand(fill, 0));
  if (!Is(ir, constant, "arith.constant")) return false;
  const int64_t value = ReadInteger(ir, ir.Attribute(constant, "value"));
  return value == 0 || value == 1;
}

// `extui(combine(trunci(result so far), bit))` becomes
// `combine(result so far, extui(bit))`.
void ReduceBytes(const Ir& ir, MlirOperation reduction) {
  const MlirOperation widen = YieldedBy(ir, reduction);
  if (!Is(ir, widen, "arith.extui")) return;
  const MlirOperation combine =
      ir.Definition(ir.api.mlirOperationGetOperand(widen, 0));
  if (!CombinesBits(ir, combine)) return;
  const MlirBlock body = ir.Body(reduction);
  const intptr_t last = ir.api.mlirBlockGetNumArguments(body) - 1;
  const MlirValue so_far = ir.api.mlirBlockGetArgument(body, last);
  const MlirType byte = ir.api.mlirValueGetType(so_far);
  for (intptr_t i = 0; i < 2; ++i) {
    const MlirOperation narrow =
        ir.Definition(ir.api.mlirOperationGetOperand(combine, i));
    if (!Is(ir, narrow, "arith.trunci") ||
        ir.api.mlirOperationGetOperand(narrow, 0).ptr != so_far.ptr) {
      continue;
    }
    const MlirOperation bit = ir.CreateBefore(
        widen, "arith.extui", {ir.api.mlirOperationGetOperand(combine, 1 - i)},
        {byte}, {});
    const MlirOperation bytes = ir.CreateBefore(
        widen, ir.Name(combine), {so_far, ir.Results(bit).at(0)}, {byte}, {});
    ir.Replace(widen, ir.Results(bytes));
    return;
  }
}

}  // namespace

void ReduceBooleans(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsReduction(ir, op) && StartsWithBits(ir, ir.Operands(op).back())) {
      ReduceBytes(ir, op);
    }
  }
}

}  // namespace iree_pjrt
