// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 crashes where a program pads a tensor with a complex constant. The
// pass makes the number from its two real parts, so that it is no constant.
#include "mlir/array_type.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {

void SplitComplexConstants(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "complex.constant") continue;
    const MlirType type = ir.ResultTypes(op).at(0);
    const std::string part = ComplexPart(ir.Print(type));
    // `[0.0 : f32, 1.0 : f32]`
    const MlirAttribute value = ir.Attribute(op, "value");
    std::vector<MlirValue> parts;
    for (intptr_t i = 0; i < ir.api.mlirArrayAttrGetNumElements(value); ++i) {
      const MlirOperation made = ir.CreateBefore(
          op, "arith.constant", {}, {ir.ParseType(part)},
          {ir.Named("value", ir.api.mlirArrayAttrGetElement(value, i))});
      parts.push_back(ir.api.mlirOperationGetResult(made, 0));
    }
    const MlirOperation whole =
        ir.CreateBefore(op, "complex.create", parts, {type}, {});
    ir.Replace(op, {ir.api.mlirOperationGetResult(whole, 0)});
  }
}

}  // namespace iree_pjrt
