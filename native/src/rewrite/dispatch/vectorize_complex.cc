// SPDX-License-Identifier: Apache-2.0
// Complex numbers. IREE (3.11, 3.13) makes no vectors of them, and keeps LLVM
// from doing so: one number after another. LLVM does well by itself; only where
// there are complex numbers, since it takes its time.
#include <algorithm>

#include "rewrite/dispatch/executable_target.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

bool IsComplex(const Ir& ir, MlirValue value) {
  MlirType type = ir.api.mlirValueGetType(value);
  if (ir.api.mlirTypeIsAShaped(type)) {
    type = ir.api.mlirShapedTypeGetElementType(type);
  }
  return ir.api.mlirTypeIsAComplex(type);
}

}  // namespace

void VectorizeComplex(const Ir& ir) {
  const std::vector<MlirOperation> all = ir.AllOperations();
  const bool is_complex = std::ranges::any_of(all, [&](MlirOperation op) {
    return ir.Name(op).starts_with("linalg.") &&
           std::ranges::any_of(ir.Operands(op), [&](MlirValue operand) {
             return IsComplex(ir, operand);
           });
  });
  if (is_complex) SetTargetOption(ir, "loop_vectorization", "true");
}

}  // namespace iree_pjrt
