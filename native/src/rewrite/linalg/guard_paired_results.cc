// SPDX-License-Identifier: Apache-2.0
// Reductions of several results, as of `argmax`, of which one is transposed.
// IREE (3.11, 3.13) makes the reduction write the result in the other order,
// and forgets the arrays that the other results are written into: its compiler
// ends by SIGSEGV. It moves transpositions through other operations first. The
// pass puts such a result behind a barrier.
#include <algorithm>
#include <vector>

#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Whether a transposition may come to the array from an operation after it.
bool IsTurned(const Ir& ir, MlirValue array) {
  return std::ranges::any_of(ir.Uses(array), [&](const auto& use) {
    const auto& [user, operand] = use;
    if (ir.Name(user) == "linalg.transpose") return true;
    if (IsGeneric(ir, user)) {
      if (!std::ranges::is_sorted(IndexingMaps(ir, user).at(operand))) {
        return true;
      }
      if (!IsElementwise(ir, user)) return false;
    } else if (!ir.IsReshape(user)) {
      return false;
    }
    return std::ranges::any_of(ir.Results(user), [&](MlirValue result) {
      return IsTurned(ir, result);
    });
  });
}

}  // namespace

void GuardPairedResults(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsGeneric(ir, op)) continue;
    const std::vector<MlirValue> results = ir.Results(op);
    if (results.size() < 2) continue;
    for (const MlirValue result : results) {
      if (IsTurned(ir, result)) ir.PutBehindBarrier(result);
    }
  }
}

}  // namespace iree_pjrt
