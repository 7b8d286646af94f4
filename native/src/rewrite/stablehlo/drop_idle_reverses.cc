// SPDX-License-Identifier: Apache-2.0
// Reversals of no dimension, such as jnp.flip of a scalar. IREE 3.11 and 3.13
// do not legalize them.
#include "mlir/attributes.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {

void DropIdleReverses(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "reverse" &&
        ReadIntegers(ir, BuiltinAttribute(ir, op, "dimensions")).empty()) {
      ir.Replace(op, {ir.Operands(op).at(0)});
    }
  }
}

}  // namespace iree_pjrt
