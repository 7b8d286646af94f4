// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 crashes on an update of a complex constant at a known index. The
// pass updates the real and the imaginary parts instead. It leaves alone what a
// loop carries: that cannot be a constant, and is updated in place.
#include <string>

#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

bool IsComplex(const std::string& type) {
  return type.find("complex") != std::string::npos;
}

// `tensor<2xcomplex<f32>>` -> `tensor<2xf32>`, in either dialect.
std::string PartType(std::string type) {
  const size_t begin = type.find("!vhlo.complex_v1<") != std::string::npos
                           ? type.find("!vhlo.complex_v1<")
                           : type.find("complex<");
  const size_t open = type.find('<', begin);
  const size_t close = type.find('>', open);
  return type.substr(0, begin) + type.substr(open + 1, close - open - 1) +
         type.substr(close + 1);
}

}  // namespace

void RewriteComplexUpdates(const Ir& ir) {
  for (MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "dynamic_update_slice") continue;
    std::vector<MlirValue> operands = ir.Operands(op);
    const std::vector<MlirType> types = ir.ResultTypes(op);
    const std::string type = ir.Print(types.at(0));
    if (!IsComplex(type) || !ir.api.mlirValueIsAOpResult(operands.at(0))) {
      continue;
    }
    const auto make = [&](const std::string& name,
                          const std::vector<MlirValue>& inputs,
                          MlirType result) {
      const MlirOperation made = ir.CreateBefore(
          op, StablehloNameLike(ir.Name(op), name), inputs, {result}, {});
      return ir.api.mlirOperationGetResult(made, 0);
    };
    std::vector<MlirValue> parts;
    for (const char* name : {"real", "imag"}) {
      std::vector<MlirValue> inputs = operands;
      for (size_t i = 0; i < 2; ++i) {
        const std::string whole =
            ir.Print(ir.api.mlirValueGetType(operands.at(i)));
        inputs[i] = make(name, {operands[i]}, ir.ParseType(PartType(whole)));
      }
      parts.push_back(
          make("dynamic_update_slice", inputs, ir.ParseType(PartType(type))));
    }
    ir.Replace(op, {make("complex", parts, types[0])});
  }
}

}  // namespace iree_pjrt
