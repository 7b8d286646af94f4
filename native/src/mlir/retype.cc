// SPDX-License-Identifier: Apache-2.0
#include "mlir/retype.h"

namespace iree_pjrt {

void RetypeBehindCast(const Ir& ir, MlirValue value, MlirType type,
                      std::string_view cast, MlirOperation before) {
  const MlirOperation back = ir.CreateBefore(
      before, cast, {value}, {ir.api.mlirValueGetType(value)}, {});
  ir.api.mlirValueReplaceAllUsesOfWith(value,
                                       ir.api.mlirOperationGetResult(back, 0));
  ir.api.mlirOperationSetOperand(back, 0, value);
  ir.api.mlirValueSetType(value, type);
}

bool Retyper::Retype(MlirOperation op) {
  bool changed = false;
  for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumResults(op); ++i) {
    changed |= RetypeValue(ir_.api.mlirOperationGetResult(op, i));
  }
  for (const MlirBlock block : ir_.Blocks(op)) {
    const intptr_t count = ir_.api.mlirBlockGetNumArguments(block);
    for (intptr_t k = 0; k < count; ++k) {
      RetypeValue(ir_.api.mlirBlockGetArgument(block, k));
    }
  }
  constexpr std::string_view kType = "function_type";
  const std::string type = ir_.Print(ir_.Attribute(op, kType));
  if (const std::string other = replaced_(type); other != type) {
    ir_.SetAttribute(op, kType, ir_.Parse(other));
  }
  return changed;
}

bool Retyper::RetypeValue(MlirValue value) {
  const MlirType type = ir_.api.mlirValueGetType(value);
  const auto [known, is_new] = known_.emplace(type.ptr, type);
  if (is_new) {
    const std::string text = ir_.Print(type);
    const std::string other = replaced_(text);
    if (other != text) known->second = ir_.ParseType(other);
  }
  if (ir_.api.mlirTypeEqual(type, known->second)) return false;
  ir_.api.mlirValueSetType(value, known->second);
  return true;
}

}  // namespace iree_pjrt
