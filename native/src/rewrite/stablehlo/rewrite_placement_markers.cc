// SPDX-License-Identifier: Apache-2.0
// Custom calls that only name the memory of a value: all memories of this
// platform are the same.
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {

void RewritePlacementMarkers(const Ir& ir) {
  for (MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "custom_call" ||
        ir.StringAttribute(op, "call_target_name") !=
            "annotate_device_placement") {
      continue;
    }
    const std::vector<MlirValue> operands = ir.Operands(op);
    if (operands.size() != ir.ResultTypes(op).size()) continue;
    ir.Replace(op, operands);
  }
}

}  // namespace iree_pjrt
