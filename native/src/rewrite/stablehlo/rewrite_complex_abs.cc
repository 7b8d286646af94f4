// SPDX-License-Identifier: Apache-2.0
// The absolute value of complex numbers of two float32. IREE 3.11 takes the
// root of the sum of their squares. The squares overflow for parts beyond 1e19,
// and are zero below 1e-23. The pass computes them in float64.
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

std::string Replaced(std::string text, std::string_view from,
                     std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

void RewriteComplexAbs(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "abs") continue;
    const MlirValue operand = ir.api.mlirOperationGetOperand(op, 0);
    const std::string type = ir.Print(ir.api.mlirValueGetType(operand));
    const bool vhlo = ir.Name(op).starts_with("vhlo.");
    const std::string_view narrow =
        vhlo ? "complex_v1<!vhlo.f32_v1>" : "complex<f32>";
    if (type.find(narrow) == std::string::npos) continue;
    const std::string convert = StablehloNameLike(ir.Name(op), "convert");
    const MlirType result = ir.ResultTypes(op).at(0);
    const auto made = [&](std::string_view name, MlirValue input,
                          MlirType output) {
      return ir.api.mlirOperationGetResult(
          ir.CreateBefore(op, name, {input}, {output}, {}), 0);
    };
    const auto wide = [&](const std::string& text) {
      return ir.ParseType(Replaced(text, "f32", "f64"));
    };
    const MlirValue input = made(convert, operand, wide(type));
    const MlirValue size = made(ir.Name(op), input, wide(ir.Print(result)));
    ir.Replace(op, {made(convert, size, result)});
  }
}

}  // namespace iree_pjrt
