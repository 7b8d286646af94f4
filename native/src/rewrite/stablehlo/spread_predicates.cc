// SPDX-License-Identifier: Apache-2.0
// Selections by one boolean, as `jnp.where(loss > limit, ...)`, clipped
// gradients and each gradient of a variance have them. IREE (3.11, 3.13) makes
// a scalar of it, for which the host waits until the device has computed it,
// even where it is known beforehand: a submission more and no other work
// meanwhile. Spread over the array it is read where it is used.
#include <vector>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {

void SpreadPredicates(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "select") continue;
    const std::vector<MlirValue> operands = ir.Operands(op);
    const StablehloBuilder builder(ir, op);
    const auto shape = builder.ShapeOf(operands[1]);
    if (shape.empty() || !builder.ShapeOf(operands[0]).empty()) continue;
    const MlirValue mask = builder.Broadcast(operands[0], shape, {});
    ir.Replace(op, {builder.Select(mask, operands[1], operands[2])});
  }
}

}  // namespace iree_pjrt
