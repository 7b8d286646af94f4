// SPDX-License-Identifier: Apache-2.0
// GSPMD's markers: on one device the global and the local array are the same.
#include <algorithm>
#include <array>

#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {

void RewriteShardingMarkers(const Ir& ir) {
  constexpr std::array<std::string_view, 3> kMarkers = {
      "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape"};
  for (MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "custom_call") continue;
    const std::string target = ir.StringAttribute(op, "call_target_name");
    if (std::find(kMarkers.begin(), kMarkers.end(), target) == kMarkers.end()) {
      continue;
    }
    const std::vector<MlirValue> operands = ir.Operands(op);
    const std::vector<MlirType> results = ir.ResultTypes(op);
    if (operands.size() != 1 || results.size() != 1 ||
        !ir.api.mlirTypeEqual(ir.api.mlirValueGetType(operands[0]),
                              results[0])) {
      continue;
    }
    ir.Replace(op, operands);
  }
}

}  // namespace iree_pjrt
