// SPDX-License-Identifier: Apache-2.0
// Reductions that compare what they reduce, as of `argmax`. IREE (3.11, 3.13)
// makes no vectors of one, nor of what it fuses into it: the logarithms and the
// random numbers of a sample of categories, one by one. The pass puts such
// inputs behind a barrier; they are computed before, as vectors.
#include <algorithm>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"
#include "rewrite/linalg/work.h"

namespace iree_pjrt {
namespace {

// Below it, another dispatch takes longer than what it saves.
constexpr int64_t kLeastCompared = 1024;
// In additions: above it, an array that is written and read again costs less.
constexpr int kLeastWork = 6;

bool HasManyElements(const Ir& ir, MlirValue array) {
  const auto type = ArrayTypeOf(ir, array);
  return type && ElementCount(type->shape) >= kLeastCompared;
}

bool Compares(const Ir& ir, MlirOperation op) {
  return std::ranges::any_of(
      ir.OperationsOf(ir.Body(op)), [&](MlirOperation inner) {
        return ir.Name(inner).starts_with("arith.select");
      });
}

}  // namespace

void ComputeBeforeComparing(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsReduction(ir, op) || ir.Results(op).size() < 2 ||
        !Compares(ir, op)) {
      continue;
    }
    for (const MlirValue input : ir.Operands(op)) {
      if (HasManyElements(ir, input) &&
          WorkFor(ir, input, kLeastWork) >= kLeastWork) {
        ir.PutBehindBarrier(input);
      }
    }
  }
}

}  // namespace iree_pjrt
