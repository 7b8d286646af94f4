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
#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

bool IsProduct(const Ir& ir, MlirOperation op) {
  const std::string_view name = ir.Name(op);
  return (name.starts_with("linalg.") &&
          (name.find("mat") != std::string_view::npos ||
           name.find("conv") != std::string_view::npos)) ||
         IsContraction(ir, op);
}

// Calls `visit` for each of the values that is computed element by element, and
// for what it is computed from, as long as `visit` says so.
void FollowSources(const Ir& ir, std::vector<MlirValue> values,
                   const std::function<bool(MlirValue)>& visit) {
  std::set<const void*> seen;
  while (!values.empty()) {
    const MlirValue value = ir.BeforeReshapes(values.back());
    values.pop_back();
    const MlirOperation op = ir.Definition(value);
    if (!IsElementwise(ir, op) || !seen.insert(value.ptr).second) continue;
    if (!visit(value)) continue;
    for (const MlirValue operand : ir.Operands(op)) values.push_back(operand);
  }
}

}  // namespace

void GuardTakenSources(const Ir& ir) {
  std::vector<MlirValue> taken;
  std::vector<MlirValue> multiplied;
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) == "tensor.extract") {
      taken.push_back(ir.api.mlirOperationGetOperand(op, 0));
    } else if (IsProduct(ir, op)) {
      for (const MlirValue factor : ir.Operands(op)) {
        multiplied.push_back(factor);
      }
    }
  }
  std::set<const void*> packed;
  FollowSources(ir, std::move(multiplied), [&](MlirValue value) {
    packed.insert(value.ptr);
    return true;
  });
  FollowSources(ir, std::move(taken), [&](MlirValue value) {
    if (!packed.contains(value.ptr)) return true;
    ir.PutBehindBarrier(value);
    return false;
  });
}

}  // namespace iree_pjrt
