// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions whose result is of another type than their operands:
// of bfloat16, summed in float32, or of int8 to int32. IREE (3.11 and 3.13)
// reads their filters as if they were of the result's type, beyond their end,
// or crashes. The pass gives grouped convolutions operands of that type. IREE
// would take a conversion of the filter into the convolution again: a barrier
// stands between.
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr size_t kFilter = 1;  // the operand

}  // namespace

void MatchGroupedOperands(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "convolution") continue;
    const MlirAttribute groups =
        BuiltinAttribute(ir, op, "feature_group_count");
    if (!groups.ptr || ReadInteger(ir, groups) == 1) continue;
    const StablehloBuilder builder(ir, op);
    const std::string element = builder.ElementOf(ir.Results(op)[0]);
    const std::vector<MlirValue> operands = ir.Operands(op);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (builder.ElementOf(operands[i]) == element) continue;
      const MlirValue converted = builder.Convert(operands[i], element);
      ir.api.mlirOperationSetOperand(op, static_cast<intptr_t>(i), converted);
      if (i == kFilter) ir.PutBehindBarrier(converted);
    }
  }
}

}  // namespace iree_pjrt
