// SPDX-License-Identifier: Apache-2.0
// Arrays that elements are taken from at computed indices and that a large
// product uses as well, as the diagonal of a matrix that is multiplied. IREE
// (3.11, 3.13) packs the array into tiles for the product, and takes the
// elements from the tiles, by the indices of the array: from anywhere. The pass
// puts such an array behind a barrier; what is packed is then a copy.
//
// IREE also computes each element that is taken from other arrays, and packs
// what is computed from one: both ways are followed through operations that
// compute element by element.
#include <set>
#include <string_view>
#include <vector>

#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

bool IsElementwise(const Ir& ir, MlirOperation op) {
  return IsGeneric(ir, op) && !IsReduction(ir, op);
}

bool IsProduct(const Ir& ir, MlirOperation op) {
  const std::string_view name = ir.Name(op);
  return (name.starts_with("linalg.") &&
          (name.find("mat") != std::string_view::npos ||
           name.find("conv") != std::string_view::npos)) ||
         (IsReduction(ir, op) && ir.api.mlirOperationGetNumOperands(op) == 3);
}

// Whether a product uses the value, or what is computed from it.
bool IsMultiplied(const Ir& ir, MlirValue value) {
  std::vector<MlirValue> ahead = {value};
  std::set<const void*> seen;
  while (!ahead.empty()) {
    const MlirValue next = ahead.back();
    ahead.pop_back();
    for (const Use& use : ir.Uses(next)) {
      if (IsProduct(ir, use.user)) return true;
      if (!IsElementwise(ir, use.user) || !seen.insert(use.user.ptr).second) {
        continue;
      }
      for (const MlirValue result : ir.Results(use.user)) {
        ahead.push_back(result);
      }
    }
  }
  return false;
}

}  // namespace

void GuardTakenSources(const Ir& ir) {
  std::vector<MlirValue> behind;
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) == "tensor.extract") {
      behind.push_back(ir.api.mlirOperationGetOperand(op, 0));
    }
  }
  std::set<const void*> seen;
  while (!behind.empty()) {
    const MlirValue value = behind.back();
    behind.pop_back();
    const MlirOperation op = ir.Definition(value);
    if (!IsElementwise(ir, op) || !seen.insert(value.ptr).second) continue;
    if (IsMultiplied(ir, value)) {
      ir.PutBehindBarrier(value);
      continue;
    }
    for (const MlirValue operand : ir.Operands(op)) behind.push_back(operand);
  }
}

}  // namespace iree_pjrt
