// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 crashes on an update of a complex constant at a known index. The
// pass updates the real and the imaginary parts instead. It leaves alone what a
// loop carries: that cannot be a constant, and is updated in place.
#include <string>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {

void RewriteComplexUpdates(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "dynamic_update_slice") continue;
    const StablehloBuilder builder(ir, op);
    const std::vector<MlirValue> operands = ir.Operands(op);
    const std::string part = ComplexPart(builder.ElementOf(operands.at(0)));
    if (part.empty() || !ir.api.mlirValueIsAOpResult(operands.at(0))) continue;
    const auto make = [&](std::string_view name,
                          const std::vector<MlirValue>& inputs,
                          MlirType result) {
      const MlirOperation made = ir.CreateBefore(
          op, StablehloNameLike(ir.Name(op), name), inputs, {result}, {});
      return ir.api.mlirOperationGetResult(made, 0);
    };
    const auto part_type = [&](MlirValue whole) {
      return builder.Type(builder.ShapeOf(whole), part);
    };
    std::vector<MlirValue> parts;
    for (const char* name : {"real", "imag"}) {
      std::vector<MlirValue> inputs = operands;
      for (size_t i = 0; i < 2; ++i) {
        inputs[i] = make(name, {operands[i]}, part_type(operands[i]));
      }
      parts.push_back(
          make("dynamic_update_slice", inputs, part_type(operands[0])));
    }
    ir.Replace(op, {make("complex", parts, ir.ResultTypes(op).at(0))});
  }
}

}  // namespace iree_pjrt
