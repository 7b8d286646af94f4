// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 overwrites a generator's state with the new one before it has made
// the bits from it. The pass gives the new state a generator of its own, behind
// a barrier. The bits of that generator are dead and cost nothing.
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {

void RewriteRngStates(const Ir& ir) {
  for (MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "rng_bit_generator") continue;
    const std::vector<MlirValue> state = ir.Operands(op);
    const MlirOperation bits = ir.CreateBefore(
        op, ir.Name(op), state, ir.ResultTypes(op),
        {ir.Named("rng_algorithm", ir.Attribute(op, "rng_algorithm"))});
    const MlirOperation states = ir.CreateBefore(
        op, ir.Name(op), {StablehloBuilder(ir, op).Barrier(state.at(0))},
        ir.ResultTypes(op),
        {ir.Named("rng_algorithm", ir.Attribute(op, "rng_algorithm"))});
    ir.Replace(op, {ir.api.mlirOperationGetResult(states, 0),
                    ir.api.mlirOperationGetResult(bits, 1)});
  }
}

}  // namespace iree_pjrt
