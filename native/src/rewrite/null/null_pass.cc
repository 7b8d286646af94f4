// SPDX-License-Identifier: Apache-2.0
// What IREE (say which version) does wrong, and what is done instead.
#include "rewrite/null/null_pass.h"

#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

// Whether the pass concerns the operation.
bool IsConcerned(const Ir& ir, MlirOperation op) {
  return StablehloName(ir.Name(op)) == "no_such_operation";
}

}  // namespace

void NullPass(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsConcerned(ir, op)) ir.Replace(op, ir.Operands(op));
  }
}

}  // namespace iree_pjrt
