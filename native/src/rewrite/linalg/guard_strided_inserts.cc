// SPDX-License-Identifier: Apache-2.0
// Elements that are put into an array at a distance from each other, as
// gradients of strided slices are (`x[1:][::2]`), where the array is padded or
// sliced then. IREE (3.13) makes one step of the two and puts the elements side
// by side. A barrier keeps the steps apart.
#include <algorithm>
#include <array>

#include "mlir/slices.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

bool MovesElements(const Ir& ir, MlirOperation op) {
  constexpr std::array kNames = {"tensor.pad", "tensor.insert_slice",
                                 "tensor.extract_slice"};
  return std::ranges::find(kNames, ir.Name(op)) != kNames.end();
}

// Whether elements of the array, maybe reshaped, are moved further.
bool IsMoved(const Ir& ir, MlirValue array) {
  return std::ranges::any_of(ir.Uses(array), [&](const Use& use) {
    return MovesElements(ir, use.user) ||
           (ir.IsReshape(use.user) &&
            IsMoved(ir, ir.api.mlirOperationGetResult(use.user, 0)));
  });
}

}  // namespace

void GuardStridedInserts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "tensor.insert_slice" || HasUnitSteps(ir, op)) continue;
    const MlirValue result = ir.api.mlirOperationGetResult(op, 0);
    if (IsMoved(ir, result)) ir.PutBehindBarrier(result);
  }
}

}  // namespace iree_pjrt
