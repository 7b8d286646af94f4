// SPDX-License-Identifier: Apache-2.0
// Reductions along dimensions of one element, as gradients of `x[:, None]` and
// of what is broadcast have: nothing is reduced, and a reduction may leave its
// start out (StableHLO), as XLA does here. IREE (3.11, 3.13) adds it, so that
// -0 becomes 0, and GuardCrossedResults has to put the results behind barriers,
// at each of which the host waits: half the time of small gradients.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Whether all dimensions that it goes along have one element. A result may be
// of a wider type than its array.
bool ReducesNothing(const Ir& ir, MlirOperation op) {
  const auto array = ArrayTypeOf(ir, ir.Operands(op).at(0));
  const auto result = ArrayTypeOf(ir, ir.Results(op).at(0));
  return array && result && array->Element() == result->Element() &&
         std::ranges::all_of(
             ReadIntegers(ir, BuiltinAttribute(ir, op, "dimensions")),
             [&](int64_t dimension) {
               return array->shape.at(static_cast<size_t>(dimension)) == 1;
             });
}

}  // namespace

void ReshapeUnitReductions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "reduce" || !ReducesNothing(ir, op)) {
      continue;
    }
    const StablehloBuilder builder(ir, op);
    const std::vector<MlirValue> results = ir.Results(op);
    std::vector<MlirValue> reshaped;
    for (size_t i = 0; i < results.size(); ++i) {
      reshaped.push_back(
          builder.Reshape(ir.Operands(op).at(i), builder.ShapeOf(results[i])));
    }
    ir.Replace(op, reshaped);
  }
}

}  // namespace iree_pjrt
