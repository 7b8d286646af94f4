// SPDX-License-Identifier: Apache-2.0
// Custom calls that carry shardings: GSPMD's, and those in which Shardy's own
// operations travel through a serialized module (jax.export). Where no program
// is left to be cut up, the global and the local array are the same.
#include <algorithm>
#include <array>

#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/on_one_device.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {

void RewriteShardingMarkers(const Ir& ir) {
  constexpr std::array<std::string_view, 10> kMarkers = {
      "SPMDFullToShardShape",
      "SPMDShardToFullShape",
      "Sharding",
      "local_xla.sdy.GlobalToLocalShape",
      "local_xla.sdy.LocalToGlobalShape",
      "xla.sdy.FuncResultSharding",
      "xla.sdy.GlobalToLocalShape",
      "xla.sdy.LocalToGlobalShape",
      "xla.sdy.PropagationBarrier",
      "xla.sdy.ShardingGroup"};
  for (MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "custom_call") continue;
    const std::string target = ir.StringAttribute(op, "call_target_name");
    if (std::find(kMarkers.begin(), kMarkers.end(), target) != kMarkers.end()) {
      ReplaceByOperands(ir, op);
    }
  }
}

}  // namespace iree_pjrt
