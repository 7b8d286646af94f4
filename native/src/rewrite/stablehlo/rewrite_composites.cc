// SPDX-License-Identifier: Apache-2.0
// chlo operations (erf, top_k, ...) arrive as composites: a name, attributes,
// and a function that computes the same with plain operations. IREE has no use
// for the name.
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {

void RewriteComposites(const Ir& ir) {
  for (MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "composite") continue;
    const bool vhlo = IsVhlo(ir.Name(op));
    const MlirAttribute callee = ir.Attribute(op, "decomposition");
    if (!callee.ptr) continue;
    const MlirOperation call = ir.CreateBefore(
        op, vhlo ? "vhlo.call_v1" : "func.call", ir.Operands(op),
        ir.ResultTypes(op), {ir.Named("callee", callee)});
    ir.Replace(op, ir.Results(call));
  }
}

}  // namespace iree_pjrt
