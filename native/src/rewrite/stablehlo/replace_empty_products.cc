// SPDX-License-Identifier: Apache-2.0
// Products and convolutions of arrays without elements, whose results are
// zeros. IREE 3.13 divides by their cost, and the process ends (SIGFPE in
// AnnotateDispatchesPass); its canonicalization knows other operations only.
#include <algorithm>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

bool IsProduct(std::string_view name) {
  return name == "dot_general" || name == "dot" || name == "convolution";
}

}  // namespace

void ReplaceEmptyProducts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsProduct(StablehloName(ir.Name(op)))) continue;
    const StablehloBuilder builder(ir, op);
    const std::vector<MlirValue> operands = ir.Operands(op);
    if (std::any_of(operands.begin(), operands.end(), [&](MlirValue array) {
          return HasNoElements(builder.ShapeOf(array));
        })) {
      ir.Replace(op, {builder.Zeros(ir.Results(op)[0])});
    }
  }
}

}  // namespace iree_pjrt
